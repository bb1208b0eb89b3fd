"""Keeps a copy of every lead in a table of one's own, erasures included: python sync_leads.py HOST:PORT FILE

Needs grpcio and the code that `buf generate` or grpc_tools.protoc makes from proto/ (messages and stubs).
"""
import sqlite3
import sys
import time

import grpc
from google.protobuf.json_format import MessageToJson

from leadintake.v1 import inbox_pb2, inbox_pb2_grpc

target, file = sys.argv[1:3]
crm = sqlite3.connect(file)
crm.execute("CREATE TABLE IF NOT EXISTS leads (number INTEGER PRIMARY KEY, id TEXT UNIQUE, lead TEXT, erased INTEGER)")
crm.execute("CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY, cursor TEXT)")
REMEMBER = "INSERT INTO place VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET cursor = excluded.cursor"
# A lead that comes again takes the place of its copy. An erased copy stays erased, whatever an older state may bring.
UPSERT = """
    INSERT INTO leads (id, lead, erased) VALUES (?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET lead = excluded.lead, erased = excluded.erased WHERE erased <= excluded.erased"""

# With certificates: grpc.secure_channel(target, grpc.ssl_channel_credentials(ca, key, cert))
with grpc.insecure_channel(target) as channel:
    inbox = inbox_pb2_grpc.LeadInboxServiceStub(channel)
    while True:
        last = crm.execute("SELECT cursor FROM place").fetchone()
        request = inbox_pb2.WatchLeadsRequest(cursor=last[0] if last else "", consumer="sync-leads")
        try:
            for message in inbox.WatchLeads(request):
                # The lead and the cursor behind it are one transaction: both are there, or neither.
                with crm:
                    if message.HasField("lead"):
                        lead = message.lead
                        crm.execute(UPSERT, (lead.id, MessageToJson(lead), lead.erased))
                    crm.execute(REMEMBER, (message.cursor,))
        except grpc.RpcError as error:
            print(error.code(), error.details(), file=sys.stderr)
            if error.code() == grpc.StatusCode.OUT_OF_RANGE:
                # The service's database was restored: begin again with the first lead.
                with crm:
                    crm.execute(REMEMBER, ("",))
        time.sleep(1)
