// gRPC in Go with a pool of ten pgx connections, as a typical team would write it. No rate limit, like the service's
// own RPC.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v4/pgxpool"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "leadintake.example/gen/leadintake/v1"
)

// An absent optional value is an empty text.
const insertLead = `INSERT INTO leads
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true, nullif($11::text, '')::timestamptz, nullif($12, ''))`

var (
	text  = regexp.MustCompile(`.`)
	phone = regexp.MustCompile(`^(?:\+?1)?[0-9]{10}$`)
	email = regexp.MustCompile("^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-zA-Z0-9-]{1,63}(?:\\.[a-zA-Z0-9-]{1,63})+$")
	count = regexp.MustCompile(`^[1-9]?[0-9](?:\.5)?\+?$`)
	utc   = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?Z)?$`)
	url   = regexp.MustCompile(`^(https?://[^\s]+)?$`)
)

type server struct {
	pb.UnimplementedLeadIntakeServiceServer
	pool *pgxpool.Pool
}

// SubmitLead stores a quote with one INSERT, which pgx prepares once a connection.
func (s *server) SubmitLead(ctx context.Context, request *pb.SubmitLeadRequest) (*pb.SubmitLeadResponse, error) {
	values, err := checkQuote(request.GetQuoteRequest())
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	receivedAt := time.Now()
	id, err := newID(receivedAt)
	if err != nil {
		return nil, err
	}
	if _, err = s.pool.Exec(ctx, insertLead, append([]interface{}{id, receivedAt, "quote"}, values...)...); err != nil {
		return nil, status.Error(codes.Unavailable, "the lead was not stored")
	}
	return &pb.SubmitLeadResponse{Id: id, ReceivedAt: timestamppb.New(receivedAt)}, nil
}

// checkQuote returns the trimmed and checked values, in the order of the table's columns.
func checkQuote(message *pb.QuoteRequest) ([]interface{}, error) {
	if message == nil {
		return nil, fmt.Errorf("expected a quote_request")
	}
	values := []interface{}{}
	for _, field := range []struct {
		name, value string
		max         int
		pattern     *regexp.Regexp
	}{
		{"name", message.GetName(), 200, text},
		{"phone", message.GetPhone(), 254, phone},
		{"email", message.GetEmail(), 254, email},
		{"bedrooms", message.GetBedrooms(), 254, count},
		{"bathrooms", message.GetBathrooms(), 254, count},
		{"service", message.GetService(), 100, text},
		{"notes", message.GetNotes(), 5_000, text},
		{"consent_timestamp", message.GetConsentTimestamp(), 254, utc},
		{"page_url", message.GetPageUrl(), 2_048, url},
	} {
		value := strings.TrimSpace(field.value)
		if utf8.RuneCountInString(value) > field.max || !field.pattern.MatchString(value) {
			return nil, fmt.Errorf("%s is not valid", field.name)
		}
		values = append(values, value)
	}
	if !message.GetCommunicationsConsent() {
		return nil, fmt.Errorf("communications_consent must be true")
	}
	return values, nil
}

// newID returns a UUID version 7 (RFC 9562).
func newID(at time.Time) (string, error) {
	random := make([]byte, 10)
	_, err := rand.Read(random)
	ms, high, low := at.UnixMilli(), random[:2], random[2:]
	high[0] = high[0]&0x0f | 0x70
	low[0] = low[0]&0x3f | 0x80
	return fmt.Sprintf("%08x-%04x-%x-%x-%x", ms>>16, ms&0xffff, high, low[:2], low[2:]), err
}

func main() {
	pool, err := pgxpool.Connect(context.Background(), os.Getenv("DATABASE_URL")+"?pool_max_conns=10")
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("INTERNAL_PORT"))
	if err != nil {
		log.Fatal(err)
	}
	// The runner sends a request over HTTP/1.1 to see whether the server has started. Any answer will do.
	go func() { log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), http.NotFoundHandler())) }()
	rpc := grpc.NewServer()
	pb.RegisterLeadIntakeServiceServer(rpc, &server{pool: pool})
	log.Fatal(rpc.Serve(listener))
}
