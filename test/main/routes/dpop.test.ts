// Access tokens that are bound to a key, where redmint itself accepts them (RFC 9449 §7): user information and the API.
import type { Test } from 'tap'
import { NONCE_PERIOD } from '../../../src/dpop/nonce-period.ts'
import { sha256 } from '../../support/dpop.ts'
import { dpopClient } from '../../support/dpop-client.ts'
import { forEachService, type Start } from '../../support/lifecycle.ts'
import { type Answer, basic, bearer, codeRequest, ISSUER } from '../../support/service.ts'

const PLACES = ['/api/resource', '/userinfo'] as const
const ALGS = 'algs="ES256 RS256 PS256 EdDSA Ed25519"'

async function signIn(start: Start, options: Parameters<Start>[0] = {}) {
  const service = await start(options)
  const client = dpopClient(service, service)
  const nonce = options?.dpop_nonce && service.fastify.redmint.proof_nonces.current()
  const { json } = await client.token(codeRequest(await service.code()), {}, nonce ? { nonce } : {})
  return { service, client, access_token: String(json.access_token) }
}

/** Asserts that a request was refused with a challenge for DPoP. */
function refused(t: Test, answer: Answer, error: string, message: string, description = /./) {
  const { status, json, headers } = answer
  t.match({ status, json }, { status: 401, json: { error, error_description: description } }, message)
  const challenge = String(headers['www-authenticate'])
  const resource = ', resource_metadata="https://auth.example.com/.well-known/oauth-protected-resource/api"'
  t.ok(
    challenge.replace(resource, '').startsWith(`DPoP realm="redmint", ${ALGS}, error="${error}"`),
    challenge,
  )
}

forEachService('a bound token is accepted with a proof of its key', async (t, start) => {
  const { service, client, access_token } = await signIn(start)
  for (const path of PLACES) {
    const answer = await client.get(path, access_token)
    t.match(answer, { status: 200 }, path)
    t.notOk(answer.headers['dpop-nonce'])
  }
  const lower = client.withToken(access_token, '/userinfo')
  const authorization = lower.authorization.replace('DPoP', 'dpop')
  t.equal((await service.get('/userinfo', { ...lower, authorization })).status, 200, 'the scheme in any case')
  const query = await service.get('/userinfo?a=b', client.withToken(access_token, '/userinfo'))
  t.equal(query.status, 200, 'the query is not part of the URL of a proof')
})

forEachService('a bound token without a proof of its key is refused', async (t, start) => {
  const { service, client, access_token } = await signIn(start)
  const other = dpopClient(service, service)
  for (const path of PLACES) {
    const { dpop } = client.withToken(access_token, path)
    refused(
      t,
      await service.get(path, bearer(access_token)),
      'invalid_token',
      'as Bearer',
      /send Authorization: DPoP/,
    )
    refused(
      t,
      await service.get(path, { ...bearer(access_token), dpop }),
      'invalid_token',
      'as Bearer with a proof',
    )
    const alone = await service.get(path, { authorization: `DPoP ${access_token}` })
    refused(t, alone, 'invalid_dpop_proof', 'no proof', /no DPoP header/)
    refused(t, await other.get(path, access_token), 'invalid_dpop_proof', 'another key', /its key is not/)
  }
  const form = await service.post('/userinfo', { access_token })
  refused(t, form, 'invalid_token', 'in a form')
})

forEachService('a proof must be for the request and the token', async (t, start) => {
  const { service, client, access_token } = await signIn(start)
  const now = Math.floor(service.now() / 1000)
  const other = await client.token(codeRequest(await service.code()))
  for (const path of PLACES) {
    for (const [claims, description] of [
      [{ htm: 'POST' }, /htm/],
      [{ htu: `${ISSUER}/api/other` }, /htu/],
      [{ htu: `http://auth.example.com${path}` }, /htu/],
      [{ htu: `${ISSUER}${path}/` }, /htu/],
      [{ ath: undefined }, /ath/],
      [{ ath: sha256(String(other.json.access_token)) }, /ath/],
      [{ iat: now - 61 }, /60 seconds ago/],
      // Far more than the limit: on a busy machine the requests before it take some seconds.
      [{ iat: now + 3600 }, /in the future/],
    ] as const) {
      const answer = await client.get(path, access_token, claims)
      refused(t, answer, 'invalid_dpop_proof', `${path} ${JSON.stringify(claims)}`, description)
    }
    t.equal((await client.get(path, access_token)).status, 200, 'and then a good one')
  }
})

forEachService('a token that is bound to nothing is refused as DPoP', async (t, start) => {
  const { service, client } = await signIn(start)
  const { json } = await service.token(codeRequest(await service.code()))
  for (const path of PLACES) {
    const answer = await client.get(path, json.access_token)
    refused(t, answer, 'invalid_token', path, /not bound to a key: send Authorization: Bearer/)
    t.equal((await service.get(path, bearer(String(json.access_token)))).status, 200)
  }
})

forEachService('a proof is used once, across all replicas', async (t, start) => {
  const { service, client, access_token } = await signIn(start)
  const other = await start()
  for (const path of PLACES) {
    const headers = client.withToken(access_token, path)
    const answers = await Promise.all([service, other, service, other].map(({ get }) => get(path, headers)))
    t.equal(answers.filter(({ status }) => status === 200).length, 1, `${path}: of four at the same time`)
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      refused(t, answer, 'invalid_dpop_proof', path, /used before/)
    }
    t.equal((await client.get(path, access_token)).status, 200, 'another proof')
  }
})

forEachService(
  'a token that somebody else bound to a certificate is refused everywhere',
  async (t, start) => {
    const { service, client, access_token } = await signIn(start, { access_token_format: 'opaque' })
    const { families } = service.storage
    const find = families.findTokenAndFamily.bind(families)
    const token = { client_id: 'app', scope: 'openid', token: access_token }
    t.ok((await find(token.token)).token?.jkt)
    families.findTokenAndFamily = async (given) => {
      const { token: { jkt: _, ...record } = {}, family } = await find(given)
      return { token: { ...record, 'x5t#S256': 'A'.repeat(43) }, family }
    }
    for (const path of PLACES) {
      const { status, json } = await service.get(path, bearer(access_token))
      t.match({ status, json }, { status: 401, json: { error: 'invalid_token' } }, path)
    }
    families.findTokenAndFamily = find
    t.equal((await client.get('/userinfo', access_token)).status, 200)
  },
)

forEachService('without a token the challenges name both ways', async (t, start) => {
  const { service } = await signIn(start)
  const { headers } = await service.get('/userinfo')
  t.equal(headers['www-authenticate'], `Bearer realm="redmint", DPoP realm="redmint", ${ALGS}`)
  t.match((await service.get('/api/resource')).headers['www-authenticate'], /^Bearer .+, DPoP .+algs=/)
})

forEachService('an error about the token has the challenge of its scheme', async (t, start) => {
  const { service, client } = await signIn(start)
  const { json } = await client.token({ grant_type: 'client_credentials' }, basic('web'))
  const { status, headers } = await client.get('/userinfo', json.access_token)
  t.equal(status, 401)
  t.match(headers['www-authenticate'], /^DPoP realm="redmint", algs="[^"]+", error="invalid_token"/)
  t.equal(
    (await service.get('/userinfo', bearer('unknown'))).headers['www-authenticate']?.toString().slice(0, 6),
    'Bearer',
  )
})

forEachService('introspection says what a token is bound to', async (t, start) => {
  const { service, client, access_token } = await signIn(start)
  const bound = await service.introspect('gateway', access_token)
  t.match(bound.json, { active: true, token_type: 'DPoP', cnf: { jkt: client.key.jkt } })
  const { json } = await service.token({ grant_type: 'client_credentials' }, basic('service'))
  const plain = await service.introspect('gateway', String(json.access_token))
  t.match(plain.json, { active: true, token_type: 'Bearer' })
  t.notOk(Object.hasOwn(plain.json, 'cnf'))
  const { json: tokens } = await client.token(
    codeRequest(await service.code({ client_id: 'web' }), { client_id: 'web' }),
    basic('web'),
  )
  const refresh = await service.introspect('web', String(tokens.refresh_token))
  t.match(refresh.json, { active: true, token_use: 'refresh_token' })
  t.notOk(Object.hasOwn(refresh.json, 'cnf'), 'a refresh token of a client with a secret is bound to nothing')
})

forEachService('a bound token can be revoked', async (t, start) => {
  const { service, client, access_token } = await signIn(start)
  t.equal((await service.revoke('app', access_token)).status, 200)
  for (const path of PLACES) {
    refused(t, await client.get(path, access_token), 'invalid_token', path)
  }
})

forEachService(
  'where nonces are required, an API wants one: that of the token endpoint will do',
  async (t, start) => {
    const { service, client, access_token } = await signIn(start, { dpop_nonce: 'required' })
    const nonces = service.fastify.redmint.proof_nonces
    for (const path of PLACES) {
      const nonce = nonces.current()
      for (const claims of [{}, { nonce: `${nonce}A` }]) {
        const first = await client.get(path, access_token, claims)
        refused(t, first, 'use_dpop_nonce', path, /header DPoP-Nonce/)
        t.equal(first.headers['dpop-nonce'], nonce)
      }
      t.equal((await client.get(path, access_token, { nonce })).status, 200)
      const seconds = Math.floor(service.now() / 1000)
      for (const iat of [seconds - 300, seconds + 300]) {
        const off = await client.get(path, access_token, { nonce, iat })
        t.equal(off.status, 200, 'the clock of the client may be off')
      }
      if (service.advance === undefined) continue
      service.advance(NONCE_PERIOD)
      const old = await client.get(path, access_token, { nonce })
      t.equal(old.status, 200)
      t.equal(old.headers['dpop-nonce'], nonces.current(), 'the next one')
    }
  },
)
