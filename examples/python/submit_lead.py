"""Submits one lead: submit_lead.py HOST:PORT

Needs grpcio, and gen/ on PYTHONPATH, generated from proto/ (docs/inbox.md says how).
"""

import sys
import time
import uuid

import grpc
from google.protobuf import duration_pb2
from google.rpc import error_details_pb2, status_pb2
from leadintake.v1 import intake_pb2, intake_pb2_grpc, lead_pb2, problem_pb2

lead = lead_pb2.QuoteRequest(
    name="Pat Example", phone="(202) 555-0123", email="pat@example.com", bedrooms="3", bathrooms="2.5",
    service="Deep clean", notes="Two cats.", communications_consent=True)
# One key for one lead: every attempt sends the same, so they cannot become two leads.
request = intake_pb2.SubmitLeadRequest(quote_request=lead, idempotency_key=str(uuid.uuid4()))
# With certificates: grpc.secure_channel(target, grpc.ssl_channel_credentials(...)).
intake = intake_pb2_grpc.LeadIntakeServiceStub(grpc.insecure_channel(sys.argv[1]))

# Refused by the RPC runtime before the service saw the request: these never succeed.
FINAL = (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INVALID_ARGUMENT)

for attempt in range(1, 4):
    try:
        print("stored as", intake.SubmitLead(request, timeout=10).id)
        break
    except grpc.RpcError as error:
        # Without a Problem, usually no answer arrived, and the lead may be stored. Its key makes a repeat safe.
        problem = problem_pb2.Problem(retryable=error.code() not in FINAL)
        retry = error_details_pb2.RetryInfo(retry_delay=duration_pb2.Duration(seconds=2))
        metadata = dict(error.trailing_metadata() or ())
        for detail in status_pb2.Status.FromString(metadata.get("grpc-status-details-bin", b"")).details:
            # Unpack does nothing if the detail has another type.
            _ = detail.Unpack(problem) or detail.Unpack(retry)
        if not problem.retryable or attempt == 3:
            faults = [f"{fault.pointer}: {fault.hint}" for fault in problem.errors]
            told = f"{problem.hint} {problem.consent.url}"
            sys.exit("\n".join([f"{error.code().name} {problem.code} {error.details()} {told}", *faults]))
        time.sleep(retry.retry_delay.ToSeconds())
