package com.example.orders;

import static org.springframework.security.config.Customizer.withDefaults;

import java.util.List;
import java.util.Objects;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.jwt.JwtAudienceValidator;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
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
        new JwtTypeValidator("at+jwt"), new JwtIssuerValidator(ISSUER), new JwtAudienceValidator(RESOURCE),
        // A token that is bound to a key is worth nothing without the proof, which is not looked at here.
        new JwtClaimValidator<Object>("cnf", Objects::isNull)));
    return decoder;
  }
}
