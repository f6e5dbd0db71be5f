import express from "express"
import { createResourceServer } from "redmint/resource-server"

const { ISSUER, RESOURCE, CLIENT_ID, CLIENT_SECRET, PORT } = process.env
const api = createResourceServer({
  issuer: ISSUER,
  resource: RESOURCE,
  introspection: { client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
  // Servers for development give anybody any token.
  dev: process.env.NODE_ENV === 'production' ? 'refuse' : 'allow',
})

const send = (response, { status, headers, body }) => response.status(status).set(headers).send(body)
const needs = (scope) => async (request, response, next) => {
  try {
    request.accessToken = await api.verify(request, { scopes: [scope] })
  } catch (error) {
    return send(response, api.answer(error))
  }
  next()
}

const app = express()
app.all(api.metadata_path, (request, response) => send(response, api.document))
app.get("/orders", needs("orders.read"), ({ accessToken }, response) => {
  response.json({ user: accessToken.subject, client: accessToken.client_id })
})
app.listen(PORT)
