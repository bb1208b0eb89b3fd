// gRPC in Go with a pool of ten pgx connections, as a typical team would write it. No rate limit, like the service's
// own RPC.
package main

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/jackc/pgx/v4/pgxpool"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "leadintake.example/gen/leadintake/v1"
)

const insertLead = `INSERT INTO leads VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

type server struct {
	pb.UnimplementedLeadIntakeServiceServer
	pool *pgxpool.Pool
}

// SubmitLead stores a quote with one INSERT, which pgx prepares once a connection.
func (s *server) SubmitLead(ctx context.Context, request *pb.SubmitLeadRequest) (*pb.SubmitLeadResponse, error) {
	message := request.GetQuoteRequest()
	if message == nil {
		return nil, status.Error(codes.InvalidArgument, "expected a quote_request")
	}
	quote, err := checkQuote(message)
	if err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	receivedAt := time.Now()
	id, err := newID(receivedAt)
	if err != nil {
		return nil, err
	}
	_, err = s.pool.Exec(ctx, insertLead, id, receivedAt, "quote", quote.name, quote.phone, quote.email, quote.bedrooms,
		quote.bathrooms, quote.service, quote.notes, true, quote.consentTimestamp, quote.pageURL)
	if err != nil {
		return nil, status.Error(codes.Unavailable, "the lead was not stored")
	}
	return &pb.SubmitLeadResponse{Id: format(id), ReceivedAt: timestamppb.New(receivedAt)}, nil
}

// newID returns a UUID version 7 (RFC 9562).
func newID(at time.Time) ([16]byte, error) {
	var id [16]byte
	if _, err := rand.Read(id[6:]); err != nil {
		return id, err
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(at.UnixMilli()))
	copy(id[:6], ms[2:])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id, nil
}

func format(id [16]byte) string {
	digits := hex.EncodeToString(id[:])
	return digits[:8] + "-" + digits[8:12] + "-" + digits[12:16] + "-" + digits[16:20] + "-" + digits[20:]
}

func openPool(ctx context.Context) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return nil, err
	}
	config.MaxConns = 10
	pool, err := pgxpool.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	createTable, err := os.ReadFile(os.Getenv("LEAD_TABLE_FILE"))
	if err != nil {
		return nil, err
	}
	_, err = pool.Exec(ctx, string(createTable))
	return pool, err
}

func main() {
	pool, err := openPool(context.Background())
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
