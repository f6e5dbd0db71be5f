package com.example.webapp;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.SimpleUrlAuthenticationFailureHandler;

@Configuration
class SecurityConfiguration {
  @Bean
  SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    var signedOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
    signedOut.setPostLogoutRedirectUri("{baseUrl}/");
    return http
        .authorizeHttpRequests(rules -> rules
            .requestMatchers("/", "/refused", "/error").permitAll()
            .anyRequest().authenticated())
        .oauth2Login(login -> login
            .failureHandler(new SimpleUrlAuthenticationFailureHandler("/refused"))
            .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(requests)))
        .logout(logout -> logout.logoutSuccessHandler(signedOut))
        // redmint tells of who signed out elsewhere, or was disabled.
        .oidcLogout(logout -> logout.backChannel(withDefaults()))
        .build();
  }
}
