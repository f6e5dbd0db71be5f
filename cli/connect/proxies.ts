import { PATHS } from '../../src/core/paths.ts'
import type { SettingsFile, SettingsValues } from './preset.ts'

/** Returns the settings of mod_auth_openidc. */
export function apacheSettings(values: SettingsValues): SettingsFile[] {
  const { issuer, client_id, client_secret, redirect_uri, scope } = values
  return [
    {
      file: 'a virtual host of Apache',
      language: 'apache',
      text: `OIDCProviderMetadataURL "${issuer}${PATHS.openid_configuration}"
OIDCClientID "${client_id}"
OIDCClientSecret "${client_secret}"
OIDCRedirectURI "${redirect_uri}"
OIDCCryptoPassphrase "<the output of: openssl rand -base64 33>"
OIDCScope "${scope}"
OIDCPKCEMethod S256
OIDCRemoteUserClaim preferred_username

<Location />
  AuthType openid-connect
  Require valid-user
</Location>
`,
    },
  ]
}

/** Returns the settings of nginx with oauth2-proxy. */
export function nginxSettings(values: SettingsValues): SettingsFile[] {
  const { issuer, client_id, client_secret, redirect_uri, scope } = values
  return [
    {
      file: 'oauth2-proxy.cfg',
      language: 'toml',
      text: `provider = "oidc"
oidc_issuer_url = "${issuer}"
client_id = "${client_id}"
client_secret = "${client_secret}"
redirect_url = "${redirect_uri}"
scope = "${scope}"
code_challenge_method = "S256"
cookie_secret = "<the output of: openssl rand -base64 32 | tr -- '+/' '-_'>"
email_domains = ["*"]
http_address = "127.0.0.1:4180"
reverse_proxy = true
set_xauthrequest = true
skip_provider_button = true
`,
    },
    {
      file: 'a server of nginx',
      language: 'nginx',
      text: `location /oauth2/ {
  proxy_pass http://127.0.0.1:4180;
  proxy_set_header Host $host;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_set_header X-Auth-Request-Redirect $request_uri;
}

location = /oauth2/auth {
  internal;
  proxy_pass http://127.0.0.1:4180;
  proxy_set_header Host $host;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_set_header Content-Length "";
  proxy_pass_request_body off;
}

location / {
  auth_request /oauth2/auth;
  error_page 401 = /oauth2/sign_in;
  auth_request_set $email $upstream_http_x_auth_request_email;
  proxy_set_header X-Email $email;
  proxy_pass http://127.0.0.1:8080;
}
`,
    },
  ]
}
