import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtAudienceValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

@Configuration
class JwtConfiguration {
  private static final String ISSUER = "{{issuer}}";

  @Bean
  JwtDecoder jwtDecoder() {
    var decoder = NimbusJwtDecoder.withJwkSetUri(ISSUER + "{{path.jwks}}")
        .jwsAlgorithms(known -> known.addAll(List.of(SignatureAlgorithm.ES256, SignatureAlgorithm.RS256)))
        .validateType(false)
        .build();
    decoder.setJwtValidator(JwtValidators.createDefaultWithValidators(
        new JwtTypeValidator("at+jwt"), new JwtIssuerValidator(ISSUER), new JwtAudienceValidator(ISSUER)));
    return decoder;
  }
}
