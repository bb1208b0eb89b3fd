package main

import (
	"errors"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	pb "leadintake.example/gen/leadintake/v1"
)

// quote is a quote request with trimmed and checked fields. Absent ones are nil.
type quote struct {
	name, phone, email, bedrooms, bathrooms, service, notes string
	consentTimestamp                                        *time.Time
	pageURL                                                 *string
}

var (
	phone = regexp.MustCompile(`^(?:\+?1)?[0-9]{10}$`)
	email = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9-]{1,63}(?:\\.[a-zA-Z0-9-]{1,63})+$")
	count = regexp.MustCompile(`^[1-9]?[0-9](?:\.5)?\+?$`)
	url   = regexp.MustCompile(`^https?://[^\s]+$`)
)

func checkQuote(message *pb.QuoteRequest) (*quote, error) {
	q := &quote{
		name:      strings.TrimSpace(message.GetName()),
		phone:     strings.TrimSpace(message.GetPhone()),
		email:     strings.TrimSpace(message.GetEmail()),
		bedrooms:  strings.TrimSpace(message.GetBedrooms()),
		bathrooms: strings.TrimSpace(message.GetBathrooms()),
		service:   strings.TrimSpace(message.GetService()),
		notes:     strings.TrimSpace(message.GetNotes()),
		pageURL:   message.PageUrl,
	}
	isText := func(value string, max int) bool { return value != "" && utf8.RuneCountInString(value) <= max }
	switch {
	case !isText(q.name, 200):
		return nil, errors.New("name must have 1 to 200 characters")
	case !phone.MatchString(q.phone):
		return nil, errors.New("phone must be a 10-digit U.S. phone number")
	case !isText(q.email, 254) || !email.MatchString(q.email):
		return nil, errors.New("email must be one e-mail address")
	case !count.MatchString(q.bedrooms) || !count.MatchString(q.bathrooms):
		return nil, errors.New("bedrooms and bathrooms must be counts from 0 to 99 written as text")
	case !isText(q.service, 100):
		return nil, errors.New("service must have 1 to 100 characters")
	case !isText(q.notes, 5_000):
		return nil, errors.New("notes must have 1 to 5,000 characters")
	case !message.GetCommunicationsConsent():
		return nil, errors.New("communications_consent must be true")
	case q.pageURL != nil && !(isText(*q.pageURL, 2_048) && url.MatchString(*q.pageURL)):
		return nil, errors.New("page_url must be an http or https URL")
	}
	if message.ConsentTimestamp != nil {
		at, err := time.Parse(time.RFC3339Nano, *message.ConsentTimestamp)
		if _, offset := at.Zone(); err != nil || offset != 0 {
			return nil, errors.New("consent_timestamp must be an RFC 3339 date-time in UTC")
		}
		q.consentTimestamp = &at
	}
	return q, nil
}
