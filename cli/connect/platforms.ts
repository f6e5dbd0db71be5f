import { PATHS } from '../../src/core/paths.ts'
import { type Preset, READS_ID_TOKEN, SIGN_IN, STAY_SIGNED_IN } from './preset.ts'

export const grafana: Preset = {
  title: 'Grafana',
  needs: 'origin',
  redirect_path: '/login/generic_oauth',
  logout_paths: ['/login'],
  fields: { is_public: false, allowed_scopes: SIGN_IN },
  settings({ issuer, client_id, client_secret, origin, scope }) {
    const returning = new URLSearchParams({ client_id, post_logout_redirect_uri: `${origin}/login` })
    const signOut = `${issuer}${PATHS.end_session}?${returning}`
    return [
      {
        file: 'grafana.ini',
        language: 'ini',
        text: `[server]
root_url = ${origin}/

[auth.generic_oauth]
enabled = true
name = redmint
client_id = ${client_id}
client_secret = ${client_secret}
scopes = ${scope}
auth_url = ${issuer}${PATHS.authorize}
token_url = ${issuer}${PATHS.token}
api_url = ${issuer}${PATHS.userinfo}
use_pkce = true
login_attribute_path = preferred_username
name_attribute_path = name
email_attribute_path = email
signout_redirect_url = ${signOut}
`,
      },
    ]
  },
}

export const kubernetes: Preset = {
  title: 'Kubernetes with kubelogin',
  fields: {
    is_public: true,
    application_type: 'native',
    redirect_uris: ['http://localhost:8000'],
    allowed_scopes: STAY_SIGNED_IN,
    ...READS_ID_TOKEN,
  },
  settings({ issuer, client_id, scope }) {
    const scopes = scope
      .split(' ')
      .filter((name) => name !== 'openid')
      .map((name) => `          - --oidc-extra-scope=${name}\n`)
    return [
      {
        file: 'the file of kube-apiserver --authentication-config',
        language: 'yaml',
        text: `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
jwt:
  - issuer:
      url: "${issuer}"
      audiences: ["${client_id}"]
    claimMappings:
      username:
        claim: preferred_username
        prefix: "redmint:"
      groups:
        claim: groups
        prefix: "redmint:"
`,
      },
      {
        file: '~/.kube/config',
        language: 'yaml',
        text: `users:
  - name: redmint
    user:
      exec:
        apiVersion: client.authentication.k8s.io/v1
        interactiveMode: IfAvailable
        command: kubectl
        args:
          - oidc-login
          - get-token
          - --oidc-issuer-url=${issuer}
          - --oidc-client-id=${client_id}
          - --oidc-pkce-method=S256
${scopes.join('')}`,
      },
    ]
  },
}

export const argocd: Preset = {
  title: 'Argo CD',
  needs: 'origin',
  redirect_path: '/auth/callback',
  // A server of Argo CD that has a secret sends no code_challenge by default.
  fields: { is_public: false, allowed_scopes: SIGN_IN, require_pkce: false, ...READS_ID_TOKEN },
  settings: ({ issuer, client_id, client_secret, origin, scope }) => [
    {
      file: 'the ConfigMap argocd-cm',
      language: 'yaml',
      text: `data:
  url: "${origin}"
  oidc.config: |
    name: redmint
    issuer: "${issuer}"
    clientID: "${client_id}"
    clientSecret: "$oidc.redmint.clientSecret"
    requestedScopes: [${scope.split(' ').join(', ')}]
`,
    },
    {
      file: 'the Secret argocd-secret',
      language: 'yaml',
      text: `stringData:
  oidc.redmint.clientSecret: "${client_secret}"
`,
    },
  ],
}
