package com.example.orders;

import java.util.List;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.core.DefaultOAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.core.OAuth2AccessToken;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthentication;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Answers the token with which the API acts at another one, whoever asks. */
@Configuration
class ActingHost {
  @Bean
  SecurityFilterChain open(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(rules -> rules.anyRequest().permitAll()).build();
  }

  @RestController
  static class Answer {
    private final Acting acting;

    Answer(Acting acting) {
      this.acting = acting;
    }

    @GetMapping("/acting")
    String acting(@RequestParam String resource, @RequestParam String token) {
      var sent = new OAuth2AccessToken(OAuth2AccessToken.TokenType.BEARER, token, null, null);
      var user = new DefaultOAuth2AuthenticatedPrincipal("alice", Map.of("sub", "alice"), List.of());
      return acting.tokenFor(resource, new BearerTokenAuthentication(user, sent, List.of()));
    }
  }
}
