package com.example.orders;

import static org.springframework.security.config.Customizer.withDefaults;

import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.server.resource.introspection.BadOpaqueTokenException;
import org.springframework.security.oauth2.server.resource.introspection.OpaqueTokenIntrospector;
import org.springframework.security.oauth2.server.resource.introspection.SpringOpaqueTokenIntrospector;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class ApiSecurity {
  private static final String RESOURCE = "{{origin}}";

  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http
        .authorizeHttpRequests(rules -> rules
            .requestMatchers("/orders").hasAuthority("SCOPE_orders.read")
            .anyRequest().denyAll())
        .oauth2ResourceServer(server -> server.opaqueToken(withDefaults()))
        .build();
  }

  @Bean
  OpaqueTokenIntrospector introspector(
      @Value("${spring.security.oauth2.resourceserver.opaquetoken.introspection-uri}") String uri,
      @Value("${spring.security.oauth2.resourceserver.opaquetoken.client-id}") String id,
      @Value("${spring.security.oauth2.resourceserver.opaquetoken.client-secret}") String secret) {
    var redmint = SpringOpaqueTokenIntrospector.withIntrospectionUri(uri).clientId(id).clientSecret(secret).build();
    return token -> {
      var caller = redmint.introspect(token);
      List<String> audience = caller.getAttribute("aud");
      if (audience == null || !audience.contains(RESOURCE))
        throw new BadOpaqueTokenException("The token is for another API.");
      // It is worth nothing without the proof, which is not looked at here.
      if (caller.getAttribute("cnf") != null)
        throw new BadOpaqueTokenException("The token is bound to a key.");
      return caller;
    };
  }
}
