// Submits one lead: java SubmitLead HOST:PORT
//
// Needs io.grpc:grpc-netty-shaded, grpc-protobuf and grpc-stub, and gen/, generated from proto/ (docs/inbox.md says how).
import static java.util.concurrent.TimeUnit.SECONDS;

import com.google.protobuf.Any;
import com.google.rpc.RetryInfo;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Set;
import java.util.UUID;
import leadintake.v1.LeadIntakeServiceGrpc;
import leadintake.v1.Problem;
import leadintake.v1.QuoteRequest;
import leadintake.v1.SubmitLeadRequest;

public class SubmitLead {
  /** Refused by the RPC runtime before the service saw the request: these never succeed. */
  static final Set<Code> FINAL = Set.of(Code.RESOURCE_EXHAUSTED, Code.UNIMPLEMENTED, Code.INVALID_ARGUMENT);

  public static void main(String[] args) throws Exception {
    // With certificates: NettyChannelBuilder and sslContext(...). The pings find a connection that is dead.
    ManagedChannel channel =
        ManagedChannelBuilder.forTarget(args[0]).usePlaintext().keepAliveTime(30, SECONDS).build();
    var intake = LeadIntakeServiceGrpc.newBlockingStub(channel);
    var lead = QuoteRequest.newBuilder()
        .setName("Pat Example").setPhone("(202) 555-0123").setEmail("pat@example.com")
        .setBedrooms("3").setBathrooms("2.5").setService("Deep clean").setNotes("Two cats.")
        .setCommunicationsConsent(true);
    // One key for one lead: every attempt sends the same, so they cannot become two leads.
    var request = SubmitLeadRequest.newBuilder()
        .setQuoteRequest(lead).setIdempotencyKey(UUID.randomUUID().toString()).build();
    for (int attempt = 1; ; attempt++) {
      try {
        // Otherwise the channel waits longer after each failure, up to two minutes.
        channel.resetConnectBackoff();
        System.out.println("stored as " + intake.withDeadlineAfter(10, SECONDS).submitLead(request).getId());
        break;
      } catch (StatusRuntimeException error) {
        // Usually, without a Problem no answer arrived, and the lead may be stored. The key makes it safe to send it again.
        Code code = error.getStatus().getCode();
        var problem = Problem.newBuilder().setRetryable(!FINAL.contains(code)).build();
        long waitSeconds = 2;
        var status = StatusProto.fromThrowable(error);
        for (Any detail : status.getDetailsList()) {
          if (detail.is(Problem.class)) problem = detail.unpack(Problem.class);
          if (detail.is(RetryInfo.class)) waitSeconds = detail.unpack(RetryInfo.class).getRetryDelay().getSeconds();
        }
        if (!problem.getRetryable() || attempt == 3) {
          System.err.println(String.join(" ", code.name(), problem.getCode(), error.getStatus().getDescription(),
              problem.getHint(), problem.getConsent().getUrl()));
          for (var fault : problem.getErrorsList()) System.err.println(fault.getPointer() + ": " + fault.getHint());
          System.exit(1);
        }
        SECONDS.sleep(waitSeconds);
      }
    }
    channel.shutdownNow();
  }
}
