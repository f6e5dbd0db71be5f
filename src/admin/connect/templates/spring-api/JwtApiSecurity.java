package com.example.orders;

import static org.springframework.security.config.Customizer.withDefaults;

import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtAudienceValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class JwtApiSecurity {
  private static final String ISSUER = "{{issuer}}";
  private static final String RESOURCE = "{{origin}}";
  // A token that is bound to a key is worth nothing without the proof, which is not looked at here.
  private static final OAuth2TokenValidator<Jwt> UNBOUND = token -> token.hasClaim("cnf")
      ? OAuth2TokenValidatorResult.failure(new OAuth2Error("invalid_token", "The token is bound to a key.", null))
      : OAuth2TokenValidatorResult.success();

  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http
        .authorizeHttpRequests(rules -> rules
            .requestMatchers("/orders").hasAuthority("SCOPE_orders.read")
            .anyRequest().denyAll())
        .oauth2ResourceServer(server -> server.jwt(withDefaults()))
        .build();
  }

  @Bean
  JwtDecoder jwtDecoder() {
    var decoder = NimbusJwtDecoder.withJwkSetUri(ISSUER + "{{path.jwks}}")
        .jwsAlgorithms(known -> known.addAll(List.of(SignatureAlgorithm.ES256, SignatureAlgorithm.RS256)))
        .validateType(false)
        .build();
    decoder.setJwtValidator(JwtValidators.createDefaultWithValidators(
        new JwtTypeValidator("at+jwt"), new JwtIssuerValidator(ISSUER), new JwtAudienceValidator(RESOURCE), UNBOUND));
    return decoder;
  }
}
