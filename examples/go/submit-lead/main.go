// Submits one lead: submit-lead HOST:PORT
//
// Needs google.golang.org/grpc, and gen/, generated from proto/ (docs/inbox.md says how).
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	pb "leadintake.example/gen/leadintake/v1"
)

func main() {
	log.SetFlags(0)
	// With certificates: grpc.WithTransportCredentials(credentials.NewTLS(...)).
	connection, err := grpc.Dial(os.Args[1], grpc.WithInsecure())
	if err != nil {
		log.Fatal(err)
	}
	intake := pb.NewLeadIntakeServiceClient(connection)
	lead := &pb.QuoteRequest{
		Name:                  proto.String("Pat Example"),
		Phone:                 proto.String("(202) 555-0123"),
		Email:                 proto.String("pat@example.com"),
		Bedrooms:              proto.String("3"),
		Bathrooms:             proto.String("2.5"),
		Service:               proto.String("Deep clean"),
		Notes:                 proto.String("Two cats."),
		CommunicationsConsent: proto.Bool(true),
	}
	// One key for one lead: every attempt sends the same, so they cannot become two leads.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request := &pb.SubmitLeadRequest{
		Lead:           &pb.SubmitLeadRequest_QuoteRequest{QuoteRequest: lead},
		IdempotencyKey: fmt.Sprintf("%x", key),
	}
	// Refused by the RPC runtime before the service saw the request: these never succeed.
	final := map[codes.Code]bool{codes.ResourceExhausted: true, codes.Unimplemented: true, codes.InvalidArgument: true}
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		receipt, err := intake.SubmitLead(ctx, request)
		cancel()
		if err == nil {
			fmt.Println("stored as", receipt.Id)
			return
		}
		// Usually, without a Problem no answer arrived, and the lead may be stored. The key makes it safe to send it again.
		problem, wait := &pb.Problem{Retryable: !final[status.Code(err)]}, 2*time.Second
		for _, detail := range status.Convert(err).Details() {
			switch detail := detail.(type) {
			case *pb.Problem:
				problem = detail
			case *errdetails.RetryInfo:
				wait = time.Duration(detail.RetryDelay.GetSeconds()) * time.Second
			}
		}
		if !problem.Retryable || attempt == 3 {
			log.Print(status.Code(err), " ", problem.Code, " ", status.Convert(err).Message(), " ", problem.Hint, " ", problem.GetConsent().GetUrl())
			for _, fault := range problem.Errors {
				log.Print(fault.Pointer, ": ", fault.Hint)
			}
			os.Exit(1)
		}
		time.Sleep(wait)
	}
}
