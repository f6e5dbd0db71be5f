// Gets tokens with which this API acts at another one, for the user of the token that it was called with (RFC 8693).
import * as client from "openid-client"

const { ISSUER, CLIENT_ID, CLIENT_SECRET } = process.env
const execute = ISSUER.startsWith("http://localhost") ? [client.allowInsecureRequests] : []
const redmint = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, { execute })

// `resource` is the other API, `token` that of the request, without "Bearer". Ask anew for each request: it ends with that token.
export async function tokenFor(resource, token) {
  const answer = await client.genericGrantRequest(redmint, "urn:ietf:params:oauth:grant-type:token-exchange", {
    resource,
    subject_token: token,
    subject_token_type: "urn:ietf:params:oauth:token-type:access_token",
  })
  return answer.access_token
}
