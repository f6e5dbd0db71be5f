import { PATHS } from '../../src/core/paths.ts'
import type { SettingsFile, SettingsValues } from './preset.ts'

/** Returns the settings of a sign-in with Spring Boot. */
export function springSettings({ issuer, client_id, client_secret, scope }: SettingsValues): SettingsFile[] {
  return [
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
  ]
}

/** Returns the settings of a Spring Boot resource server: by introspection, or by the key set. */
export function springApiSettings({ issuer, client_id, client_secret }: SettingsValues): SettingsFile[] {
  return [
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
  ]
}

/** Returns a Go program that signs users in. */
export function goSettings(values: SettingsValues): SettingsFile[] {
  const { issuer, client_id, client_secret, redirect_uri, scope } = values
  const scopes = scope
    .split(' ')
    .map((name) => `"${name}"`)
    .join(', ')
  return [
    {
      file: '.env',
      language: 'sh',
      text: `ISSUER="${issuer}"
CLIENT_ID="${client_id}"
CLIENT_SECRET="${client_secret}"
REDIRECT_URI="${redirect_uri}"
`,
    },
    {
      file: 'redmint.go',
      language: 'go',
      text: `package main

import (
    "context"
    "os"

    "github.com/coreos/go-oidc/v3/oidc"
    "golang.org/x/oauth2"
)

// Connect returns the client, and the verifier of its id_tokens.
func Connect(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
    provider, err := oidc.NewProvider(ctx, os.Getenv("ISSUER"))
    if err != nil {
        return nil, nil, err
    }
    config := &oauth2.Config{
        ClientID:     os.Getenv("CLIENT_ID"),
        ClientSecret: os.Getenv("CLIENT_SECRET"),
        RedirectURL:  os.Getenv("REDIRECT_URI"),
        Endpoint:     provider.Endpoint(),
        Scopes:       []string{${scopes}},
    }
    return config, provider.Verifier(&oidc.Config{ClientID: config.ClientID}), nil
}

// Start returns the address to send the browser to. Keep state, nonce and verifier in its session.
func Start(config *oauth2.Config, state, nonce, verifier string) string {
    return config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier))
}

// Finish redeems the code; verifier is that of Start.
func Finish(ctx context.Context, config *oauth2.Config, code, verifier string) (*oauth2.Token, error) {
    return config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
}
`,
    },
  ]
}

/** Returns the settings of ASP.NET Core. */
export function dotnetSettings({ issuer, client_id, client_secret, scope }: SettingsValues): SettingsFile[] {
  const scopes = scope.split(' ').map((name) => `        options.Scope.Add("${name}");\n`)
  return [
    {
      file: 'appsettings.json',
      language: 'json',
      text: `{
  "Redmint": {
    "Authority": "${issuer}",
    "ClientId": "${client_id}",
    "ClientSecret": "${client_secret}"
  }
}
`,
    },
    {
      file: 'Program.cs',
      language: 'csharp',
      text: `builder.Services
    .AddAuthentication(options =>
    {
        options.DefaultScheme = CookieAuthenticationDefaults.AuthenticationScheme;
        options.DefaultChallengeScheme = OpenIdConnectDefaults.AuthenticationScheme;
    })
    .AddCookie()
    .AddOpenIdConnect(options =>
    {
        builder.Configuration.GetSection("Redmint").Bind(options);
        options.ResponseType = "code";
        options.Scope.Clear();
${scopes.join('')}        options.MapInboundClaims = false;
        options.GetClaimsFromUserInfoEndpoint = true;
        options.SaveTokens = true;
        options.TokenValidationParameters.NameClaimType = "name";
    });
`,
    },
  ]
}

/** Returns a request for an access token. */
export function machineSettings({ issuer, client_id, client_secret, scope }: SettingsValues): SettingsFile[] {
  return [
    {
      file: '.env',
      language: 'sh',
      text: `ISSUER="${issuer}"
CLIENT_ID="${client_id}"
CLIENT_SECRET="${client_secret}"
`,
    },
    {
      file: 'token.sh',
      run: 'sh token.sh',
      language: 'sh',
      text: `. ./.env
curl -sS "$ISSUER${PATHS.token}" --user "$CLIENT_ID:$CLIENT_SECRET" \\
  --data-urlencode grant_type=client_credentials --data-urlencode "scope=${scope}"
`,
    },
  ]
}
