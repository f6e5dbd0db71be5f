import { type Preset, READS_ID_TOKEN, SIGN_IN, STAY_SIGNED_IN } from './preset.ts'

export const nextjs: Preset = {
  title: 'Auth.js 5 in Next.js',
  needs: 'origin',
  redirect_path: '/api/auth/callback/redmint',
  fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
  settings: ({ issuer, client_id, client_secret, origin, scope }) => [
    {
      file: '.env.local',
      language: 'sh',
      text: `AUTH_SECRET="<the output of: openssl rand -base64 33>"
AUTH_URL="${origin}"
AUTH_REDMINT_ISSUER="${issuer}"
AUTH_REDMINT_ID="${client_id}"
AUTH_REDMINT_SECRET="${client_secret}"
`,
    },
    {
      file: 'auth.ts',
      language: 'ts',
      text: `import NextAuth from "next-auth"

export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: "redmint",
      name: "redmint",
      type: "oidc",
      issuer: process.env.AUTH_REDMINT_ISSUER,
      clientId: process.env.AUTH_REDMINT_ID,
      clientSecret: process.env.AUTH_REDMINT_SECRET,
      authorization: { params: { scope: "${scope}" } },
    },
  ],
})
`,
    },
    {
      file: 'app/api/auth/[...nextauth]/route.ts',
      language: 'ts',
      text: `import { handlers } from "@/auth"

export const { GET, POST } = handlers
`,
    },
  ],
}

export const express: Preset = {
  title: 'express-openid-connect',
  needs: 'origin',
  redirect_path: '/callback',
  logout_paths: ['', '/'],
  // It accepts RS256 only, unless idTokenSigningAlg is set.
  fields: {
    is_public: false,
    allowed_scopes: STAY_SIGNED_IN,
    id_token_signed_response_alg: 'RS256',
    ...READS_ID_TOKEN,
  },
  settings: ({ issuer, client_id, client_secret, origin, scope }) => [
    {
      file: '.env',
      language: 'sh',
      text: `ISSUER_BASE_URL="${issuer}"
BASE_URL="${origin}"
CLIENT_ID="${client_id}"
CLIENT_SECRET="${client_secret}"
SECRET="<the output of: openssl rand -base64 33>"
`,
    },
    {
      file: 'app.mjs',
      run: 'node --env-file=.env app.mjs',
      language: 'js',
      text: `import express from "express"
import openid from "express-openid-connect"

const app = express()
app.use(
  openid.auth({
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: "code", scope: "${scope}" },
  }),
)
app.get("/", openid.requiresAuth(), (request, response) => response.json(request.oidc.user))
app.listen(process.env.PORT ?? 3000)
`,
    },
  ],
}

export const react: Preset = {
  title: 'react-oidc-context',
  needs: 'origin',
  redirect_path: '/callback',
  logout_paths: ['/'],
  fields: { is_public: true, allowed_scopes: STAY_SIGNED_IN },
  settings: ({ issuer, client_id, redirect_uri, origin, scope }) => [
    {
      file: 'src/oidc.js',
      language: 'js',
      text: `export const oidc = {
  authority: "${issuer}",
  client_id: "${client_id}",
  redirect_uri: "${redirect_uri}",
  post_logout_redirect_uri: "${origin}/",
  scope: "${scope}",
  loadUserInfo: true,
}
`,
    },
    {
      file: 'src/main.jsx',
      language: 'jsx',
      text: `import { createRoot } from "react-dom/client"
import { AuthProvider } from "react-oidc-context"
import { App } from "./App"
import { oidc } from "./oidc"

const removeCode = () => history.replaceState({}, "", "/")

createRoot(document.getElementById("root")).render(
  <AuthProvider {...oidc} onSigninCallback={removeCode}>
    <App />
  </AuthProvider>,
)
`,
    },
  ],
}
