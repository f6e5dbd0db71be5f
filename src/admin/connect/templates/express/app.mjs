import express from "express"
import openid from "express-openid-connect"

const app = express()
app.use(
  openid.auth({
    authRequired: false,
    idpLogout: true,
    authorizationParams: { response_type: "code", scope: "{{scope}}" },
  }),
)

// Who is disabled at redmint gets no new access token, and is out.
app.use(async (request, response, next) => {
  try {
    if (request.oidc.accessToken?.isExpired()) await request.oidc.accessToken.refresh()
    next()
  } catch (error) {
    if (error.error === "invalid_grant") response.oidc.logout()
    else next(error)
  }
})

const escape = (text = "") => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
app.get("/", (request, response) => {
  const { sub, name = sub, email } = request.oidc.user ?? {}
  response.send(
    sub
      ? `<p>${escape(name)} ${escape(email)}</p><a href="/logout">Sign out</a>`
      : `<p>Nobody is signed in.</p><a href="/login">Sign in</a>`,
  )
})

// For example, the user pressed "Do not allow".
app.use((error, request, response, next) => {
  console.error(error)
  response.status(error.status ?? 500).send(`<p>You are not signed in.</p><a href="/login">Try again</a>`)
})
app.listen(process.env.PORT)
