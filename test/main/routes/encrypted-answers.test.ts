// id_tokens, user information and introspection responses that are encrypted to the client: signed JWTs in a JWE.
import type { EncryptionAlg } from '../../../src/core/algs.ts'
import { fetchFailure, type GetDocument } from '../../../src/outbound/public-get.ts'
import { type DecryptionKey, decrypted, decryptionKey, keySetWith } from '../../support/encryption-key.ts'
import { forEachService, type Lifecycle, pass, tokensOf } from '../../support/lifecycle.ts'
import { changeClient } from '../../support/records.ts'
import { basic, bearer } from '../../support/service.ts'
import { verified } from '../../support/signed-answer.ts'

const EC = decryptionKey('ec')
const RSA = decryptionKey('rsa', 'RSA-OAEP-256')
const KEYS: Record<EncryptionAlg, DecryptionKey> = { 'ECDH-ES': EC, 'RSA-OAEP-256': RSA }
/** A point of small order, to which nothing can be encrypted (RFC 7748 §6.1). */
const NO_SECRET = { kty: 'OKP', crv: 'X25519', x: 'A'.repeat(43), use: 'enc' }
const JWKS_URI = 'https://web.example.com/keys'

/** Changes the record of the client `web`, and waits until the service knows it. */
async function change(
  { storage, fastify, ...service }: Lifecycle,
  set: Record<string, string>,
  unset: string[] = [],
) {
  await changeClient(storage, 'web', { set, unset })
  await pass({ storage, fastify, ...service }, 0, async () => {
    const found: Record<string, unknown> = { ...(await fastify.redmint.clients.find('web')) }
    return (
      Object.entries(set).every(([name, value]) => found[name] === value) &&
      unset.every((name) => found[name] === undefined)
    )
  })
}

/** Registers an encryption of answers to the client `web`. */
const register = (service: Lifecycle, what: string, alg: EncryptionAlg = 'ECDH-ES') =>
  change(service, {
    jwks: keySetWith(RSA, EC),
    [`${what}_encrypted_response_alg`]: alg,
  })

const introspect = (service: Lifecycle, client: string, token: string, accept?: string) =>
  service.post('/oauth2/introspect', { token }, { ...basic(client), ...(accept && { accept }) })

forEachService('an id_token is encrypted, at each grant', async (t, start) => {
  const service = await start()
  for (const alg of ['ECDH-ES', 'RSA-OAEP-256'] as const) {
    await register(service, 'id_token', alg)
    const first = await service.signIn('web')
    const refreshed = tokensOf(await service.refresh('web', first.refresh_token))
    for (const { id_token, access_token } of [first, refreshed]) {
      const { header, jwt } = await decrypted(KEYS[alg], id_token)
      t.match(header, { alg, enc: 'A256GCM', kid: KEYS[alg].kid, cty: 'JWT' })
      const { claims } = await verified(service, jwt, {
        audience: 'web',
        currentDate: new Date(service.now()),
      })
      t.match(claims, { sub: 'alice', at_hash: String })
      t.equal((await service.get('/userinfo', bearer(access_token))).status, 200)
    }
    const again = await service.refresh('web', refreshed.refresh_token, { scope: 'api.read' })
    t.notOk('id_token' in again.json, 'none without the scope openid')
  }
  const hint = async (id_token_hint: string) => {
    const { redirect } = await service.authorize({
      client_id: 'web',
      subject: undefined,
      id_token_hint,
      prompt: 'none',
    })
    return redirect.get('error')
  }
  const { id_token } = await service.signIn('web')
  t.equal(await hint(id_token), 'invalid_request')
  t.equal(await hint((await decrypted(RSA, id_token)).jwt), 'login_required', 'a client decrypts it first')
})

forEachService('user information is signed and encrypted', async (t, start) => {
  const service = await start()
  const { access_token } = await service.signIn('web')
  await register(service, 'userinfo')
  const answer = await service.get('/userinfo', bearer(access_token))
  t.equal(answer.headers['content-type'], 'application/jwt')
  const { header, jwt } = await decrypted(EC, answer.text)
  t.match(header, { alg: 'ECDH-ES', enc: 'A256GCM', cty: 'JWT' })
  t.match((await verified(service, jwt, { audience: 'web' })).claims, { sub: 'alice' })
})

forEachService('introspection is encrypted, also for a request that accepts JSON only', async (t, start) => {
  const service = await start()
  const { access_token } = await service.signIn('web')
  await register(service, 'introspection')
  for (const accept of [undefined, 'application/json', 'application/token-introspection+jwt']) {
    for (const [token, active] of [[access_token, true] as const, ['unknown', false] as const]) {
      const answer = await introspect(service, 'web', token, accept)
      t.equal(answer.headers['content-type'], 'application/token-introspection+jwt')
      const { jwt } = await decrypted(EC, answer.text)
      const { claims } = await verified(service, jwt, { audience: 'web', typ: 'token-introspection+jwt' })
      t.match(claims.token_introspection, { active })
    }
  }
})

forEachService('without a key nothing is sent, and nothing is spent', async (t, start) => {
  const down: GetDocument = async () => fetchFailure('network', 'could not be fetched')
  const service = await start({ fetch_client_keys: { registered: down, described: down } })
  const { access_token, refresh_token } = await service.signIn('web')
  const code = await service.codeFor('web')
  for (const what of ['id_token', 'userinfo', 'introspection']) await register(service, what)
  const refusals = async () => [
    await service.redeem('web', code),
    await service.refresh('web', refresh_token),
    await service.get('/userinfo', bearer(access_token)),
    await introspect(service, 'web', access_token),
  ]
  for (const jwks of [keySetWith(RSA), keySetWith({ jwk: NO_SECRET })]) {
    await change(service, { jwks })
    for (const { status, json } of await refusals()) {
      t.match(
        { status, json },
        { status: 400, json: { error: 'invalid_client_metadata', error_description: /ECDH-ES/ } },
      )
    }
  }
  await change(service, { jwks_uri: JWKS_URI }, ['jwks'])
  for (const { status, json, headers } of await refusals()) {
    t.match({ status, json }, { status: 503, json: { error: 'temporarily_unavailable' } })
    t.ok(Number(headers['retry-after']) > 0)
  }
  await change(service, { jwks: keySetWith(EC) }, ['jwks_uri'])
  for (const answer of [await service.redeem('web', code), await service.refresh('web', refresh_token)]) {
    const { jwt } = await decrypted(EC, tokensOf(answer).id_token)
    t.match((await verified(service, jwt, { audience: 'web' })).claims, { sub: 'alice' })
  }
})

forEachService('a client that acts for itself needs no key', async (t, start) => {
  const service = await start()
  await register(service, 'id_token')
  await change(service, { jwks: keySetWith(RSA) })
  t.ok(await service.clientToken('web'))
})
