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
app.get("/", openid.requiresAuth(), (request, response) => response.json(request.oidc.user))
app.listen(process.env.PORT)
