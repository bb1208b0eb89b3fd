// Keeps a copy of every lead in a SQLite table: sync-leads HOST:PORT FILE
//
// Needs google.golang.org/grpc, github.com/mattn/go-sqlite3, and gen/, generated from proto/ (docs/inbox.md says how).
//
// Except to answer a message, contact nobody whose copy has an optedOutAt until they call or write, and a person has
// checked that: nothing that is submitted lifts an opt-out. Read a lead with possibleOptOut today (docs/consumers.md).
package main

import (
	"context"
	"database/sql"
	"errors"
	"log"
	"os"
	"strconv"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	pb "leadintake.example/gen/leadintake/v1"
)

const batchSize = 500

const schema = `
	CREATE TABLE IF NOT EXISTS leads (id TEXT PRIMARY KEY, lead TEXT, erased INTEGER, seen INTEGER);
	CREATE TABLE IF NOT EXISTS feed (only INTEGER PRIMARY KEY CHECK (only = 1), cursor TEXT, recovering INTEGER);
	INSERT OR IGNORE INTO feed VALUES (1, '', 0);`

// A lead can arrive more than once. An erased copy stays erased.
const upsert = `
	INSERT INTO leads VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET
		lead = CASE WHEN leads.erased AND NOT excluded.erased THEN leads.lead ELSE excluded.lead END,
		erased = leads.erased OR excluded.erased, seen = 1`

// beginRecovery reads everything again after a restore of the service's database, to find the copies that it has lost.
const beginRecovery = `UPDATE leads SET seen = 0; UPDATE feed SET cursor = '', recovering = 1`

var errSilent = errors.New("the stream is silent")

func main() {
	log.SetFlags(0)
	target, file := os.Args[1], os.Args[2]
	crm, err := sql.Open("sqlite3", "file:"+file+"?_journal_mode=WAL&_txlock=immediate")
	if err != nil {
		log.Fatal(err)
	}
	crm.SetMaxOpenConns(1)
	if _, err := crm.Exec(schema); err != nil {
		log.Fatal(err)
	}
	for {
		err := follow(target, crm)
		log.Print(err)
		if status.Code(err) == codes.OutOfRange {
			if err := transaction(crm, func(tx *sql.Tx) error { return exec(tx, beginRecovery) }); err != nil {
				log.Fatal(err)
			}
		}
		time.Sleep(time.Second)
	}
}

// silence is how long a stream may be silent. The service sends a message at least every 15 seconds: after three times
// that without one, the connection is dead.
func silence() time.Duration {
	if seconds, err := strconv.ParseFloat(os.Getenv("SILENCE_SECONDS"), 64); err == nil {
		return time.Duration(seconds * float64(time.Second))
	}
	return 45 * time.Second
}

// follow stores one stream until it ends. It opens a new connection, because the old one may be dead.
func follow(target string, crm *sql.DB) error {
	// With certificates: grpc.WithTransportCredentials(credentials.NewTLS(...)).
	connection, err := grpc.Dial(target, grpc.WithInsecure())
	if err != nil {
		return err
	}
	defer connection.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var cursor string
	if err := crm.QueryRow("SELECT cursor FROM feed").Scan(&cursor); err != nil {
		return err
	}
	request := &pb.WatchLeadsRequest{Cursor: cursor, Consumer: "crm-go"}
	stream, err := pb.NewLeadInboxServiceClient(connection).WatchLeads(ctx, request)
	if err != nil {
		return err
	}
	// The channel is bounded, so that a slow database slows the stream down.
	messages := make(chan *pb.WatchLeadsResponse, batchSize)
	ended := make(chan error, 1)
	go func() {
		defer close(messages)
		for {
			message, err := stream.Recv()
			if err != nil {
				ended <- err
				return
			}
			select {
			case messages <- message:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		batch, err := next(messages)
		if err != nil {
			return err
		}
		if len(batch) == 0 {
			return <-ended
		}
		if err := transaction(crm, func(tx *sql.Tx) error { return store(tx, batch) }); err != nil {
			log.Fatal(err)
		}
	}
}

// next waits for a message and returns it with those that have arrived in the meantime, because a commit costs more
// than a message. At the end of the stream it returns none.
func next(messages <-chan *pb.WatchLeadsResponse) ([]*pb.WatchLeadsResponse, error) {
	var batch []*pb.WatchLeadsResponse
	select {
	case message, open := <-messages:
		if !open {
			return nil, nil
		}
		batch = append(batch, message)
	case <-time.After(silence()):
		return nil, errSilent
	}
	for len(batch) < batchSize {
		select {
		case message, open := <-messages:
			if !open {
				return batch, nil
			}
			batch = append(batch, message)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// keepWhatIsKnown keeps the later time of an opt-out, and reports what a restore of the service's database has undone.
func keepWhatIsKnown(tx *sql.Tx, lead *pb.Lead) error {
	var text string
	var erased bool
	err := tx.QueryRow("SELECT lead, erased FROM leads WHERE id = ?", lead.Id).Scan(&text, &erased)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	if erased && !lead.Erased {
		log.Print("erase again: ", lead.Id)
	}
	known := &pb.Lead{}
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal([]byte(text), known); err != nil {
		return err
	}
	// Without a time of its own, a lead has 1970.
	if known.OptedOutAt != nil && known.OptedOutAt.AsTime().After(lead.OptedOutAt.AsTime()) {
		if !lead.Erased {
			log.Print("opt-out again: ", lead.Id, " ", known.OptedOutAt.AsTime().Format(time.RFC3339Nano))
		}
		lead.OptedOutAt = known.OptedOutAt
	}
	return nil
}

// store writes leads and their cursor.
func store(tx *sql.Tx, batch []*pb.WatchLeadsResponse) error {
	for _, message := range batch {
		if lead := message.GetLead(); lead != nil {
			if err := keepWhatIsKnown(tx, lead); err != nil {
				return err
			}
			text, err := protojson.Marshal(lead)
			if err != nil {
				return err
			}
			if err := exec(tx, upsert, lead.Id, string(text), lead.Erased); err != nil {
				return err
			}
		}
		if message.CaughtUp {
			if err := finishRecovery(tx); err != nil {
				return err
			}
		}
	}
	return exec(tx, "UPDATE feed SET cursor = ?", batch[len(batch)-1].Cursor)
}

// finishRecovery reports the copies that the service has lost, after everything was read again.
func finishRecovery(tx *sql.Tx) error {
	rows, err := tx.Query("SELECT id FROM leads WHERE NOT seen AND (SELECT recovering FROM feed)")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		log.Print("the service has lost: ", id)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return exec(tx, "UPDATE feed SET recovering = 0")
}

func exec(tx *sql.Tx, query string, args ...any) error {
	_, err := tx.Exec(query, args...)
	return err
}

func transaction(crm *sql.DB, work func(tx *sql.Tx) error) error {
	tx, err := crm.Begin()
	if err != nil {
		return err
	}
	if err := work(tx); err != nil {
		tx.Rollback()
		return err
	}
	return tx.Commit()
}
