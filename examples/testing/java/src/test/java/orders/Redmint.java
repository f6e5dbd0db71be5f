package orders;

import com.nimbusds.jose.util.JSONObjectUtils;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.text.ParseException;
import java.util.List;
import java.util.Map;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.output.OutputFrame.OutputType;
import org.testcontainers.containers.wait.strategy.Wait;

/** A server to test against, in memory: a process, or a container. */
final class Redmint implements AutoCloseable {
  final String issuer;
  private final String control;
  private final String token;
  private final Runnable end;

  private Redmint(String line, Runnable end) throws ParseException {
    this.end = end;
    var printed = JSONObjectUtils.parse(line);
    issuer = (String) printed.get("issuer");
    control = (String) printed.get("control");
    token = (String) printed.get("token");
  }

  static Redmint start() throws IOException, ParseException {
    var process = new ProcessBuilder("npx", "--yes", "redmint", "dev", "--json", "--port", "0")
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
    var output = new BufferedReader(new InputStreamReader(process.getInputStream()));
    return new Redmint(output.readLine(), process::destroy);
  }

  static Redmint startContainer(int port) throws ParseException {
    var container = new GenericContainer<>("redmint-dev")
        .withCommand("--host", "localhost", "--port", String.valueOf(port), "--json")
        .waitingFor(Wait.forLogMessage(".*\"issuer\".*\\n", 1));
    // The issuer has the port, so it is the same inside and outside of the container.
    container.setPortBindings(List.of(port + ":" + port));
    container.start();
    var line = container.getLogs(OutputType.STDOUT).lines().findFirst().orElseThrow();
    return new Redmint(line, container::stop);
  }

  /** Returns an access token, without a page or a browser. */
  String token(Map<String, Object> wanted) throws IOException, InterruptedException, ParseException {
    var request = HttpRequest.newBuilder(URI.create(control + "tokens"))
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(JSONObjectUtils.toJSONString(wanted)))
        .build();
    var answer = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    if (answer.statusCode() != 200) throw new IOException(answer.body());
    return (String) JSONObjectUtils.parse(answer.body()).get("access_token");
  }

  @Override
  public void close() {
    end.run();
  }
}
