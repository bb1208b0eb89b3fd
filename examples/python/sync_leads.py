"""Keeps a copy of every lead in a SQLite table: python sync_leads.py HOST:PORT FILE

Needs grpcio, and on PYTHONPATH the code generated from proto/ (docs/inbox.md says how).

Except to answer a message, contact nobody whose copy has an optedOutAt until they call or write, and a person has
checked that: nothing that is submitted lifts an opt-out. Read a lead with possibleOptOut today (docs/consumers.md).
"""
import json
import os
import queue
import sqlite3
import sys
import threading
import time

import grpc
from google.protobuf.json_format import MessageToJson
from google.protobuf.timestamp_pb2 import Timestamp

from leadintake.v1 import inbox_pb2, inbox_pb2_grpc

# The service sends a message at least every 15 seconds. After three times that without one, the connection is dead.
SILENCE_SECONDS = float(os.environ.get("SILENCE_SECONDS", 45))
BATCH_SIZE = 500

# A lead can arrive more than once. An erased copy stays erased.
UPSERT = """
    INSERT INTO leads VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET
      lead = CASE WHEN leads.erased AND NOT excluded.erased THEN leads.lead ELSE excluded.lead END,
      erased = leads.erased OR excluded.erased, seen = 1"""


def say(text):
    print(text, file=sys.stderr, flush=True)


def open_crm(file):
    crm = sqlite3.connect(file, isolation_level=None)
    crm.execute("PRAGMA journal_mode = WAL")
    crm.execute("CREATE TABLE IF NOT EXISTS leads (id TEXT PRIMARY KEY, lead TEXT, erased INTEGER, seen INTEGER)")
    crm.execute("CREATE TABLE IF NOT EXISTS feed (only INTEGER PRIMARY KEY CHECK (only = 1), cursor TEXT, recovering INTEGER)")
    crm.execute("INSERT OR IGNORE INTO feed VALUES (1, '', 0)")
    return crm


def keep_what_is_known(crm, lead):
    """Keeps the later time of an opt-out, and reports what a restore of the service's database has undone."""
    known = crm.execute("SELECT lead, erased FROM leads WHERE id = ?", (lead.id,)).fetchone()
    if not known:
        return
    text, erased = known
    if erased and not lead.erased:
        say(f"erase again: {lead.id}")
    opted_out_at = Timestamp()
    opted_out_at.FromJsonString(json.loads(text).get("optedOutAt", "1970-01-01T00:00:00Z"))
    if opted_out_at.ToNanoseconds() > lead.opted_out_at.ToNanoseconds():
        if not lead.erased:
            say(f"opt-out again: {lead.id} {opted_out_at.ToJsonString()}")
        lead.opted_out_at.CopyFrom(opted_out_at)


def store(crm, messages):
    """Stores leads and their cursor in one transaction, so that a crash can neither skip a lead nor lose the cursor."""
    with crm:  # commits, or rolls back after an exception
        crm.execute("BEGIN IMMEDIATE")
        for message in messages:
            if message.HasField("lead"):
                lead = message.lead
                keep_what_is_known(crm, lead)
                crm.execute(UPSERT, (lead.id, MessageToJson(lead), lead.erased))
            if message.caught_up and crm.execute("SELECT recovering FROM feed").fetchone()[0]:
                finish_recovery(crm)
            crm.execute("UPDATE feed SET cursor = ?", (message.cursor,))


def begin_recovery(crm):
    """After a restore of the service's database: reads everything again, to find the copies that the service has lost."""
    with crm:
        crm.execute("BEGIN IMMEDIATE")
        crm.execute("UPDATE leads SET seen = 0")
        crm.execute("UPDATE feed SET cursor = '', recovering = 1")


def finish_recovery(crm):
    for (lead_id,) in crm.execute("SELECT id FROM leads WHERE NOT seen"):
        say(f"the service has lost: {lead_id}")
    crm.execute("UPDATE feed SET recovering = 0")


def read(stream, messages):
    """Queues messages, then the reason for the end. The queue is bounded, so a slow database slows the stream down."""
    try:
        for message in stream:
            messages.put(message)
        messages.put(EOFError("the stream has ended"))
    except grpc.RpcError as error:
        messages.put(error)


def follow(inbox, crm):
    """Stores one stream until it ends, in batches, because a commit costs more than a message."""
    (cursor,) = crm.execute("SELECT cursor FROM feed").fetchone()
    stream = inbox.WatchLeads(inbox_pb2.WatchLeadsRequest(cursor=cursor, consumer="crm-python"))
    messages = queue.Queue(2 * BATCH_SIZE)
    threading.Thread(target=read, args=(stream, messages), daemon=True).start()
    try:
        while True:
            batch = [messages.get(timeout=SILENCE_SECONDS)]
            while len(batch) < BATCH_SIZE and not messages.empty():
                batch.append(messages.get())
            end = batch.pop() if isinstance(batch[-1], Exception) else None
            store(crm, batch)
            if end:
                raise end
    finally:
        stream.cancel()


def main(target, file):
    crm = open_crm(file)
    while True:
        # A new connection each time, because the old one may be dead.
        # With certificates: grpc.secure_channel(target, grpc.ssl_channel_credentials(ca, key, cert))
        with grpc.insecure_channel(target) as channel:
            try:
                follow(inbox_pb2_grpc.LeadInboxServiceStub(channel), crm)
            except queue.Empty:
                say("the stream is silent")
            except EOFError as end:
                say(end)
            except grpc.RpcError as error:
                say(f"{error.code()} {error.details()}")
                if error.code() == grpc.StatusCode.OUT_OF_RANGE:
                    begin_recovery(crm)
        time.sleep(1)


main(*sys.argv[1:3])
