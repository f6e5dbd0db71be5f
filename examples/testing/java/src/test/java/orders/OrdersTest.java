package orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.net.httpserver.HttpServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OrdersTest {
  static final String API = "https://api.demo.test";
  static Redmint redmint;
  static HttpServer api;

  @BeforeAll
  static void start() throws Exception {
    redmint = Redmint.start();
    api = Orders.start(redmint.issuer, API);
  }

  @AfterAll
  static void end() {
    if (api != null) api.stop(0);
    if (redmint != null) redmint.close();
  }

  @Test
  void whoHasATokenReads() throws Exception {
    assertEquals(204, read(Map.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {
    "expired", "not_yet_valid", "wrong_aud", "wrong_iss", "wrong_typ", "wrong_signature", "alg_none"
  })
  void aTokenIsRefused(String fault) throws Exception {
    assertEquals(401, read(Map.of("fault", fault)));
  }

  @Test
  void aTokenForAnotherScopeIsRefused() throws Exception {
    assertEquals(403, read(Map.of("scope", "openid")));
  }

  private int read(Map<String, Object> other) throws Exception {
    var wanted = new HashMap<String, Object>(
        Map.of("client", "demo-spa", "user", "alice", "resource", API, "scope", "api.read"));
    wanted.putAll(other);
    var request = HttpRequest.newBuilder(URI.create("http://localhost:" + api.getAddress().getPort() + "/orders"))
        .header("Authorization", "Bearer " + redmint.token(wanted))
        .build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.discarding()).statusCode();
  }
}
