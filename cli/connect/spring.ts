import { PATHS } from '../../src/core/paths.ts'
import { type Preset, SIGN_IN } from './preset.ts'

export const spring: Preset = {
  title: 'Spring Boot with oauth2Login',
  needs: 'origin',
  redirect_path: '/login/oauth2/code/redmint',
  logout_paths: ['/'],
  fields: { is_public: false, allowed_scopes: SIGN_IN, id_token_signed_response_alg: 'RS256' },
  settings: ({ issuer, client_id, client_secret, scope }) => [
    {
      file: 'src/main/resources/application.yml',
      language: 'yaml',
      text: `spring:
  security:
    oauth2:
      client:
        registration:
          redmint:
            client-id: "${client_id}"
            client-secret: "${client_secret}"
            scope: ${scope.split(' ').join(', ')}
        provider:
          redmint:
            issuer-uri: "${issuer}"
`,
    },
    {
      file: 'SecurityConfiguration.java',
      language: 'java',
      text: `import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizationRequestCustomizers;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class SecurityConfiguration {
  @Bean
  SecurityFilterChain security(HttpSecurity http, ClientRegistrationRepository clients) throws Exception {
    var requests = new DefaultOAuth2AuthorizationRequestResolver(clients, "/oauth2/authorization");
    requests.setAuthorizationRequestCustomizer(OAuth2AuthorizationRequestCustomizers.withPkce());
    var signedOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
    signedOut.setPostLogoutRedirectUri("{baseUrl}/");
    return http
        .authorizeHttpRequests(rules -> rules.anyRequest().authenticated())
        .oauth2Login(login -> login
            .authorizationEndpoint(endpoint -> endpoint.authorizationRequestResolver(requests)))
        .logout(logout -> logout.logoutSuccessHandler(signedOut))
        .build();
  }
}
`,
    },
  ],
}

export const springApi: Preset = {
  title: 'a Spring Boot resource server',
  fields: { is_public: false, can_introspect: true },
  settings: ({ issuer, client_id, client_secret }) => [
    {
      file: 'src/main/resources/application.yml',
      language: 'yaml',
      text: `spring:
  security:
    oauth2:
      resourceserver:
        opaquetoken:
          introspection-uri: "${issuer}${PATHS.introspect}"
          client-id: "${client_id}"
          client-secret: "${client_secret}"
`,
    },
    {
      file: 'JwtConfiguration.java',
      use: 'instead of application.yml, to verify JWTs by the key set without introspection',
      language: 'java',
      text: `import java.util.List;
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
  private static final String ISSUER = "${issuer}";

  @Bean
  JwtDecoder jwtDecoder() {
    var decoder = NimbusJwtDecoder.withJwkSetUri(ISSUER + "${PATHS.jwks}")
        .jwsAlgorithms(known -> known.addAll(List.of(SignatureAlgorithm.ES256, SignatureAlgorithm.RS256)))
        .validateType(false)
        .build();
    decoder.setJwtValidator(JwtValidators.createDefaultWithValidators(
        new JwtTypeValidator("at+jwt"), new JwtIssuerValidator(ISSUER), new JwtAudienceValidator(ISSUER)));
    return decoder;
  }
}
`,
    },
  ],
}
