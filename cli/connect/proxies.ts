import { PATHS } from '../../src/core/paths.ts'
import { type Preset, READS_ID_TOKEN, SIGN_IN } from './preset.ts'

export const apache: Preset = {
  title: 'Apache with mod_auth_openidc',
  needs: 'origin',
  redirect_path: '/redirect_uri',
  logout_paths: ['/'],
  fields: { is_public: false, allowed_scopes: SIGN_IN },
  settings: ({ issuer, client_id, client_secret, redirect_uri, scope }) => [
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
  ],
}

export const nginx: Preset = {
  title: 'nginx with oauth2-proxy',
  needs: 'origin',
  redirect_path: '/oauth2/callback',
  fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
  settings: ({ issuer, client_id, client_secret, redirect_uri, scope }) => [
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
  ],
}
