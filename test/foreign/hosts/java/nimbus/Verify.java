// Verifies a JWT access token with Nimbus: the issuer and the token are the arguments.
package app;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.net.URI;
import java.util.Set;

class Verify {
  public static void main(String[] args) throws Exception {
    String issuer = args[0];
    var keys = JWKSourceBuilder.create(URI.create(issuer + "/.well-known/jwks.json").toURL()).build();
    var processor = new DefaultJWTProcessor<SecurityContext>();
    processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("at+jwt")));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.ES256, keys));
    var exact = new JWTClaimsSet.Builder().issuer(issuer).build();
    processor.setJWTClaimsSetVerifier(new DefaultJWTClaimsVerifier<>(issuer, exact, Set.of("exp", "client_id")));
    System.out.println(processor.process(args[1], null).getStringClaim("client_id"));
  }
}
