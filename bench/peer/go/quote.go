package main

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	pb "leadintake.example/gen/leadintake/v1"
)

// quote is a quote request with trimmed and checked fields. Absent ones are nil.
type quote struct {
	name, phone, email, bedrooms, bathrooms, service, notes string
	consentTimestamp                                        *time.Time
	pageURL                                                 *string
}

// checkQuote checks the fields by hand, because Go's regular expressions cost several times as much.
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
	switch {
	case !isText(q.name, 200):
		return nil, errors.New("name must have 1 to 200 characters")
	case !isPhone(q.phone):
		return nil, errors.New("phone must be a 10-digit U.S. phone number")
	case !isEmail(q.email):
		return nil, errors.New("email must be one e-mail address")
	case !isCount(q.bedrooms):
		return nil, errors.New("bedrooms must be a count from 0 to 99 written as text")
	case !isCount(q.bathrooms):
		return nil, errors.New("bathrooms must be a count from 0 to 99 written as text")
	case !isText(q.service, 100):
		return nil, errors.New("service must have 1 to 100 characters")
	case !isText(q.notes, 5_000):
		return nil, errors.New("notes must have 1 to 5,000 characters")
	case !message.GetCommunicationsConsent():
		return nil, errors.New("communications_consent must be true")
	case q.pageURL != nil && !isURL(*q.pageURL):
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

func isText(value string, max int) bool {
	return value != "" && utf8.RuneCountInString(value) <= max
}

func isPhone(value string) bool {
	if len(value) > 10 {
		value = strings.TrimPrefix(strings.TrimPrefix(value, "+"), "1")
	}
	return len(value) == 10 && strings.IndexFunc(value, isNoDigit) < 0
}

// isCount accepts "0" to "99", halves such as "2.5" and open ends such as "5+".
func isCount(value string) bool {
	value = strings.TrimSuffix(strings.TrimSuffix(value, "+"), ".5")
	isShort := len(value) == 1 || len(value) == 2 && value[0] != '0'
	return isShort && strings.IndexFunc(value, isNoDigit) < 0
}

func isEmail(value string) bool {
	local, domain, found := strings.Cut(value, "@")
	if !found || len(value) > 254 || len(local) < 1 || len(local) > 64 {
		return false
	}
	for _, r := range local {
		if !isAlphanumeric(r) && !strings.ContainsRune(".!#$%&'*+/=?^_`{|}~-", r) {
			return false
		}
	}
	labels := strings.Split(domain, ".")
	for _, label := range labels {
		isPart := func(r rune) bool { return isAlphanumeric(r) || r == '-' }
		if len(label) < 1 || len(label) > 63 || strings.IndexFunc(label, func(r rune) bool { return !isPart(r) }) >= 0 {
			return false
		}
	}
	return len(labels) > 1
}

func isURL(value string) bool {
	hasScheme := strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://")
	return hasScheme && utf8.RuneCountInString(value) <= 2_048 && strings.IndexFunc(value, unicode.IsSpace) < 0
}

func isNoDigit(r rune) bool { return r < '0' || r > '9' }

func isAlphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}
