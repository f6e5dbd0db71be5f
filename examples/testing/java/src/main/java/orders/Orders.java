package orders;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.text.ParseException;
import java.util.List;
import java.util.Set;

/** An API that answers who has a token for it, and the scope api.read. */
public final class Orders {
  private final DefaultJWTProcessor<SecurityContext> tokens = new DefaultJWTProcessor<>();

  private Orders(String issuer, String audience) throws IOException {
    var keys = JWKSourceBuilder.create(URI.create(issuer + "/.well-known/jwks.json").toURL()).build();
    var exact = new JWTClaimsSet.Builder().issuer(issuer).build();
    tokens.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("at+jwt")));
    tokens.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.ES256, keys));
    tokens.setJWTClaimsSetVerifier(
        new DefaultJWTClaimsVerifier<>(audience, exact, Set.of("exp", "client_id", "scope")));
  }

  /** Starts the API on a free port. Tokens are of this issuer, and name this audience. */
  public static HttpServer start(String issuer, String audience) throws IOException {
    var orders = new Orders(issuer, audience);
    var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/orders", orders::answer);
    server.start();
    return server;
  }

  private void answer(HttpExchange exchange) throws IOException {
    exchange.sendResponseHeaders(statusFor(exchange.getRequestHeaders().getFirst("Authorization")), -1);
    exchange.close();
  }

  private int statusFor(String header) {
    if (header == null || !header.startsWith("Bearer ")) return 401;
    try {
      var claims = tokens.process(header.substring("Bearer ".length()), null);
      var scopes = List.of(claims.getStringClaim("scope").split(" "));
      return scopes.contains("api.read") ? 204 : 403;
    } catch (ParseException | BadJOSEException | JOSEException refused) {
      return 401;
    }
  }
}
