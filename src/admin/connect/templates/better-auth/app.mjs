import { betterAuth } from "better-auth"
import { fromNodeHeaders, toNodeHandler } from "better-auth/node"
import { genericOAuth } from "better-auth/plugins"
import express from "express"

const { ISSUER, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
// Without a database it keeps users and sessions in memory: give it yours.
const auth = betterAuth({
  // Accounts join by the sub at redmint, and never by an e-mail address.
  account: { accountLinking: { enabled: false } },
  // After this time, in seconds, redmint is asked again, and a user who is disabled there is out.
  session: { expiresIn: 3600, disableSessionRefresh: true },
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: "redmint",
          discoveryUrl: `${ISSUER}{{path.openid_configuration}}`,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          scopes: "{{scope}}".split(" "),
          pkce: true,
          requireIdTokenVerification: true,
          // Better Auth wants an address of everybody; one that ends so reaches nobody.
          mapProfileToUser: ({ sub, name, preferred_username, email }) => ({
            name: name ?? preferred_username ?? sub,
            email: email ?? `${sub}@redmint.invalid`,
          }),
        },
      ],
    }),
  ],
})

/** Asks Better Auth, keeps its cookies, and goes where it says. */
const go = async (request, response, call, body) => {
  const asked = { body, headers: fromNodeHeaders(request.headers), returnHeaders: true }
  const { headers, response: answer } = await call(asked)
  response.append("set-cookie", headers.getSetCookie()).redirect(303, answer.url ?? "/")
}

const app = express()
app.all("/api/auth/{*path}", toNodeHandler(auth))
app.get("/login", (request, response) =>
  go(request, response, auth.api.signInSocial, {
    provider: "redmint",
    callbackURL: "/",
    errorCallbackURL: "/refused",
    disableRedirect: true,
  }),
)
app.get("/logout", (request, response) =>
  go(request, response, auth.api.signOut, { callbackURL: "/", disableRedirect: true }),
)
// For example, the user pressed "Do not allow".
app.get("/refused", (request, response) => {
  response.status(403).send(`<p>You are not signed in.</p><a href="/login">Try again</a>`)
})

const escape = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
app.get("/", async (request, response) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
  response.send(
    session
      ? `<p>${escape(session.user.name)} ${escape(session.user.email)}</p><a href="/logout">Sign out</a>`
      : `<p>Nobody is signed in.</p><a href="/login">Sign in</a>`,
  )
})
app.listen(PORT)
