// Two servers of redmint: one issues identity assertions about its people, the other takes them.

import { decodeJwt } from 'jose'
import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { ISSUER as KIND } from '../../../src/issuers/issuer-kind.ts'
import { formatIssuer } from '../../../src/issuers/issuer-record.ts'
import { makeDpopKey, makeProof } from '../../support/dpop.ts'
import { askAs, CHAT, CHAT_API, startIssuing } from '../../support/identity.ts'
import { createClient } from '../../support/records.ts'
import { basic, bearer, ISSUER } from '../../support/service.ts'
import { JWT_BEARER } from '../../support/trusted-issuer.ts'
import { AGENT_THERE, startBoth } from '../../support/two-servers.ts'

t.test('an agent acts at the other server for a person who signed in here', async (t) => {
  const { home, chat, present } = await startBoth(t)
  t.match((await home.get('/.well-known/openid-configuration')).json, {
    identity_chaining_requested_token_types_supported: ['urn:ietf:params:oauth:token-type:id-jag'],
  })
  t.match((await chat.get('/.well-known/oauth-authorization-server')).json, {
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  })
  const { id_token } = await home.signInTo(home.visitor())
  const { json: issued } = await askAs(home, 'agent', id_token, { scope: 'chat.read' })
  const { status, json } = await present(issued.access_token)
  t.match({ status, json }, { status: 200, json: { scope: 'chat.read', token_type: 'Bearer' } })
  t.notOk(json.refresh_token)
  const { auth_time } = decodeJwt(String(issued.access_token))
  t.match(
    (await chat.post('/oauth2/introspect', { token: String(json.access_token) }, basic('agent-there'))).json,
    { active: true, sub: 'alice-at-chat', aud: CHAT_API, auth_time },
  )
  t.match((await present(issued.access_token)).json, { error: 'invalid_grant' }, 'it counts once')
  t.equal((await home.get('/userinfo', bearer(String(json.access_token)))).status, 401)
})

t.test('T14: an assertion for one server is refused by all others', async (t) => {
  const { home, present } = await startBoth(t)
  const elsewhere = 'https://else.example'
  await home.keep({ application: CHAT })
  const { id_token } = await home.signInTo(home.visitor())
  t.match((await askAs(home, 'agent', id_token, { audience: elsewhere })).json, { error: 'invalid_target' })
  const { json } = await askAs(home, 'agent', id_token)
  const wrong = await present(
    String(json.access_token).replace(/\.[^.]*\./, `.${claimsFor(json, elsewhere)}.`),
  )
  t.match(wrong.json, { error: 'invalid_grant' })
  t.equal((await present(json.access_token)).status, 200)
})

t.test('an assertion with a key needs a proof of it at the other server', async (t) => {
  const { home, present } = await startBoth(t)
  const { id_token } = await home.signInTo(home.visitor())
  const [key, other] = [makeDpopKey(), makeDpopKey()]
  const proof = (of: typeof key, issuer: string) =>
    makeProof(of, { htm: 'POST', htu: `${issuer}/oauth2/token`, iat: Math.floor(Date.now() / 1000) })
  const { json } = await askAs(home, 'agent', id_token, {}, { dpop: proof(key, ISSUER) })
  t.match((await present(json.access_token)).json, { error: 'invalid_grant' })
  t.match((await present(json.access_token, { dpop: proof(other, CHAT) })).json, { error: 'invalid_grant' })
  t.match((await present(json.access_token, { dpop: proof(key, CHAT) })).json, { token_type: 'DPoP' })
})

t.test('a server takes no identity assertion of its own, whatever its records say', async (t) => {
  const home = await startIssuing(t, { trusted_issuers: true })
  const jwks = (await home.get('/.well-known/jwks.json')).text
  const own = { issuer: ISSUER, profile: 'id-jag', audience: CHAT, jwks } as const
  await home.storage.records.put({ kind: KIND, id: ISSUER, hash: formatIssuer(own) })
  await createClient(home.storage, 'agent-there', formatClient(AGENT_THERE))
  await home.setFields('alice', { linked_subjects: `${ISSUER}#sub-of-alice` })
  const { id_token } = await home.signInTo(home.visitor())
  const { json } = await askAs(home, 'agent', id_token)
  const form = { grant_type: JWT_BEARER, assertion: String(json.access_token) }
  t.match((await home.token(form, basic('agent-there'))).json, {
    error: 'invalid_grant',
    error_description: /by this server itself/,
  })
})

/** The claims of an assertion, for another audience. */
const claimsFor = ({ access_token }: Record<string, unknown>, aud: string) =>
  Buffer.from(JSON.stringify({ ...decodeJwt(String(access_token)), aud })).toString('base64url')
