"""Copies every lead into a table of one's own, each exactly once: python sync_leads.py HOST:PORT FILE

Needs grpcio and the code that `buf generate` or grpc_tools.protoc makes from proto/ (messages and stubs).
"""
import sqlite3
import sys
import time

import grpc
from google.protobuf.json_format import MessageToJson

from leadintake.v1 import inbox_pb2, inbox_pb2_grpc

target, file = sys.argv[1:3]
crm = sqlite3.connect(file, isolation_level=None)
crm.execute("CREATE TABLE IF NOT EXISTS leads (number INTEGER PRIMARY KEY, id TEXT UNIQUE, lead TEXT, cursor TEXT)")

# With certificates: grpc.secure_channel(target, grpc.ssl_channel_credentials(ca, key, cert))
with grpc.insecure_channel(target) as channel:
    inbox = inbox_pb2_grpc.LeadInboxServiceStub(channel)
    while True:
        last = crm.execute("SELECT cursor FROM leads ORDER BY number DESC LIMIT 1").fetchone()
        try:
            for message in inbox.WatchLeads(inbox_pb2.WatchLeadsRequest(cursor=last[0] if last else "")):
                # The lead and the cursor after it are one row: both are there, or neither.
                crm.execute(
                    "INSERT OR IGNORE INTO leads (id, lead, cursor) VALUES (?, ?, ?)",
                    (message.lead.id, MessageToJson(message.lead), message.cursor),
                )
        except grpc.RpcError as error:
            print(error.code(), error.details(), file=sys.stderr)
        time.sleep(1)
