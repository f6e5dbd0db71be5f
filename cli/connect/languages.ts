import { PATHS } from '../../src/core/paths.ts'
import { type Preset, READS_ID_TOKEN, SIGN_IN, STAY_SIGNED_IN } from './preset.ts'

export const go: Preset = {
  title: 'x/oauth2 and go-oidc',
  needs: 'origin',
  redirect_path: '/callback',
  fields: { is_public: false, allowed_scopes: STAY_SIGNED_IN, ...READS_ID_TOKEN },
  settings({ issuer, client_id, client_secret, redirect_uri, scope }) {
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
  },
}

export const dotnet: Preset = {
  title: 'ASP.NET Core',
  needs: 'origin',
  redirect_path: '/signin-oidc',
  logout_paths: ['/signout-callback-oidc'],
  fields: { is_public: false, allowed_scopes: SIGN_IN },
  settings({ issuer, client_id, client_secret, scope }) {
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
  },
}

export const machine: Preset = {
  title: 'a program without a user',
  needs: 'scope',
  fields: { is_public: false },
  settings: ({ issuer, client_id, client_secret, scope }) => [
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
  ],
}
