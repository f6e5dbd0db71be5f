// DPoP at the token endpoint (RFC 9449 §5): each rule with a request that meets it and one that breaks it.
import { decodeJwt } from 'jose'
import type { Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { parseToken } from '../../../../src/core/token-string.ts'
import { NONCE_PERIOD } from '../../../../src/dpop/nonce-period.ts'
import { allowDevice, DEVICE_GRANT, deviceOf, storeDevices } from '../../../support/device.ts'
import { makeDpopKey, signProof } from '../../../support/dpop.ts'
import { type DpopClient, dpopClient } from '../../../support/dpop-client.ts'
import {
  forEachService,
  forEachStorage,
  type Lifecycle,
  type Start,
  startReplica,
} from '../../../support/lifecycle.ts'
import { changeClient, createClient } from '../../../support/records.ts'
import { type Answer, basic, CLIENTS, codeRequest, ISSUER } from '../../../support/service.ts'
import { assertionOf, claimsOf, issuerKey, JWT_BEARER, trust } from '../../../support/trusted-issuer.ts'
import { until } from '../../../support/until.ts'

const FORM = { grant_type: 'client_credentials' }
const PATH = '/oauth2/token'

const startWith = async (start: Start, options: Parameters<Start>[0] = {}) => {
  const service = await start(options)
  return { service, client: dpopClient(service, service) }
}

/** What an access token is bound to, by its claims or its record. */
async function boundTo({ storage }: Lifecycle, access_token: unknown) {
  const token = String(access_token)
  const record = await storage.families.findToken(token)
  if (record !== undefined) return record.jkt
  return parseToken(token) === undefined
    ? (decodeJwt(token).cnf as { jkt?: string } | undefined)?.jkt
    : undefined
}

/** Asserts that a token request was refused for its proof, with this in the description. */
function refused(
  t: Test,
  { status, json, headers }: Answer,
  description: RegExp,
  message = String(description),
) {
  t.match(
    { status, json },
    { status: 400, json: { error: 'invalid_dpop_proof', error_description: description } },
    message,
  )
  t.notOk(headers['dpop-nonce'], 'no nonce')
}

async function bound(t: Test, service: Lifecycle, { key }: DpopClient, { status, json }: Answer) {
  t.match({ status, json }, { status: 200, json: { token_type: 'DPoP' } }, JSON.stringify(json))
  t.equal(await boundTo(service, json.access_token), key.jkt)
}

forEachService('every grant binds its access token to the key of the proof', async (t, start) => {
  const { service, client } = await startWith(start, { trusted_issuers: true })
  await bound(t, service, client, await client.token(FORM, basic('service')))
  const first = await client.token(codeRequest(await service.code()))
  await bound(t, service, client, first)
  const refresh_token = String(first.json.refresh_token)
  await bound(
    t,
    service,
    client,
    await client.token({ grant_type: 'refresh_token', client_id: 'app', refresh_token }),
  )
  await storeDevices(service.storage)
  const { device_code } = await deviceOf(service).codes({ scope: 'openid' })
  await allowDevice(service.storage, device_code)
  await bound(
    t,
    service,
    client,
    await client.token({ grant_type: DEVICE_GRANT, client_id: 'tv', device_code }),
  )
  const key = issuerKey()
  await trust(service.storage, key, { issuer: 'https://ci.example.com' })
  const job = {
    ...CLIENTS.service,
    client_id: 'job',
    grant_types: [JWT_BEARER],
    assertion_issuer: 'https://ci.example.com',
  } as const
  await createClient(service.storage, 'job', formatClient(job))
  const assertion = assertionOf(key, claimsOf('https://ci.example.com', 'job'))
  await bound(t, service, client, await client.token({ grant_type: JWT_BEARER, client_id: 'job', assertion }))
})

forEachService('without a proof a token is bound to nothing', async (t, start) => {
  const { service } = await startWith(start)
  const { json } = await service.token(FORM, basic('service'))
  t.equal(json.token_type, 'Bearer')
  t.equal(await boundTo(service, json.access_token), undefined)
})

forEachService('a proof that is not for this request is refused, and nothing is spent', async (t, start) => {
  const { service, client } = await startWith(start)
  const { key } = client
  const code = await service.code()
  const now = Math.floor(service.now() / 1000)
  const claims = { jti: 'one', htm: 'POST', htu: ISSUER + PATH, iat: now }
  const { d } = key.privateKey.export({ format: 'jwk' })
  const proof = (header: object, given: object = claims) =>
    signProof(key, { typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk, ...header }, given)
  const wrong: [name: string, proof: string, description: RegExp][] = [
    ['another method', proof({}, { ...claims, htm: 'GET' }), /htm/],
    ['another path', proof({}, { ...claims, htu: `${ISSUER}/userinfo` }), /htu/],
    ['another host', proof({}, { ...claims, htu: `https://other.example${PATH}` }), /htu/],
    ['too old', proof({}, { ...claims, iat: now - 61 }), /60 seconds ago/],
    ['in the future', proof({}, { ...claims, iat: now + 60 }), /10 seconds in the future/],
    ['a private key', proof({ jwk: { ...key.jwk, d } }), /private member d/],
    ['a symmetric key', proof({ jwk: { kty: 'oct', k: 'c2VjcmV0' } }), /private member k/],
    ['no algorithm', proof({ alg: 'none' }), /alg/],
    ['a symmetric algorithm', proof({ alg: 'HS256' }), /alg/],
    ['another algorithm', proof({ alg: 'RS256' }), /not a public key for RS256/],
    ['the key of somebody else', proof({ jwk: makeDpopKey().jwk }), /signature/],
    ['no JWT', 'a proof', /not a JWT/],
    ['an empty header', '', /not a JWT/],
    ['a huge one', 'x'.repeat(8193), /longer than 8192/],
  ]
  for (const [name, dpop, description] of wrong) {
    refused(t, await service.token(codeRequest(code), { dpop }), description, name)
  }
  await bound(t, service, client, await client.token(codeRequest(code)))
})

forEachService('the URL of a proof is compared after normalisation', async (t, start) => {
  const { client } = await startWith(start)
  for (const htu of [
    'HTTPS://AUTH.example.com/oauth2/token',
    'https://auth.example.com:443/oauth2/token?a=b#c',
    'https://auth.example.com/x/../oauth2/%74oken',
  ]) {
    t.equal((await client.token(FORM, basic('service'), { htu })).status, 200, htu)
  }
  for (const htu of ['https://auth.example.com/oauth2/token/', 'https://auth.example.com/oauth2/Token']) {
    refused(t, await client.token(FORM, basic('service'), { htu }), /htu/, htu)
  }
})

forEachService('the URL comes from the issuer, whatever the headers say', async (t, start) => {
  const { service, client } = await startWith(start)
  const headers = { host: 'other.example', 'x-forwarded-host': 'other.example', 'x-forwarded-proto': 'http' }
  t.equal((await client.token(FORM, { ...basic('service'), ...headers })).status, 200)
  const dpop = client.proof(PATH, { htu: `http://other.example${PATH}` })
  refused(t, await service.token(FORM, { ...basic('service'), ...headers, dpop }), /htu/)
})

forEachService('a proof is used once, across all replicas', async (t, start) => {
  const { service, client } = await startWith(start)
  const other = await start()
  for (const format of ['opaque', 'jwt'] as const) {
    const access_token_format = format
    await changeClient(service.storage, 'service', { set: { access_token_format } })
    await until('the replicas know it', async () => {
      const found = await Promise.all(
        [service, other].map(({ fastify }) => fastify.redmint.clients.find('service')),
      )
      return found.every((client) => client?.access_token_format === format)
    })
    const dpop = client.proof(PATH)
    const answers = await Promise.all(
      [service, other, service, other].map(({ token }) => token(FORM, { ...basic('service'), dpop })),
    )
    t.equal(answers.filter(({ status }) => status === 200).length, 1, 'of four at the same time')
    for (const answer of answers.filter(({ status }) => status !== 200)) refused(t, answer, /used before/)
  }
})

forEachService('a proof of a code or a refresh token is used once', async (t, start) => {
  const { service, client } = await startWith(start)
  const dpop = client.proof(PATH)
  const first = await service.token(codeRequest(await service.code()), { dpop })
  await bound(t, service, client, first)
  const code = await service.code()
  refused(t, await service.token(codeRequest(code), { dpop }), /used before/, 'another code')
  const refresh_token = String(first.json.refresh_token)
  const form = { grant_type: 'refresh_token', client_id: 'app', refresh_token }
  refused(t, await service.token(form, { dpop }), /used before/, 'a refresh token')
  await bound(t, service, client, await client.token(codeRequest(code)))
  await bound(t, service, client, await client.token(form))
})

forEachService('a refresh token of a public client is bound to the key', async (t, start) => {
  const { service, client } = await startWith(start)
  const other = dpopClient(service, service)
  const { json } = await client.token(codeRequest(await service.code()))
  const form = { grant_type: 'refresh_token', client_id: 'app', refresh_token: String(json.refresh_token) }
  for (const [name, answer] of [
    ['another key', await other.token(form)],
    ['no proof', await service.token(form)],
  ] as const) {
    const wrong = { error: 'invalid_grant', error_description: /bound to another key/ }
    t.match({ status: answer.status, json: answer.json }, { status: 400, json: wrong }, name)
  }
  const lost = await client.token(form)
  await bound(t, service, client, lost)
  const again = await client.token(form)
  t.match(again.json, { token_type: 'DPoP', refresh_token: lost.json.refresh_token }, 'a retry')
  t.equal((await other.token(form)).json.error, 'invalid_grant', 'a retry by another key')
  const next = await client.token({ ...form, refresh_token: String(again.json.refresh_token) })
  await bound(t, service, client, next)
})

forEachService(
  'a refresh token of a public client that was bound to nothing is bound by its first refresh with a proof',
  async (t, start) => {
    const { service, client } = await startWith(start)
    const refreshing = ({ json }: Answer) => ({
      grant_type: 'refresh_token',
      client_id: 'app',
      refresh_token: String(json.refresh_token),
    })
    const first = await service.token(codeRequest(await service.code()))
    const plain = await service.token(refreshing(first))
    t.equal(plain.json.token_type, 'Bearer')
    const proven = await client.token(refreshing(plain))
    await bound(t, service, client, proven)
    for (const [name, answer] of [
      ['no proof', await service.token(refreshing(proven))],
      ['another key', await dpopClient(service, service).token(refreshing(proven))],
    ] as const) {
      t.match(answer, { status: 400, json: { error_description: /bound to another key/ } }, name)
    }
    await bound(t, service, client, await client.token(refreshing(proven)))
  },
)

forEachService('a confidential client may change its key, and not within a retry', async (t, start) => {
  const { service, client } = await startWith(start)
  const other = dpopClient(service, service)
  const code = await service.code({ client_id: 'web' })
  const { client_id: _, ...redemption } = codeRequest(code)
  const { json } = await client.token(redemption, basic('web'))
  const form = { grant_type: 'refresh_token', refresh_token: String(json.refresh_token) }
  const next = await other.token(form, basic('web'))
  await bound(t, service, other, next)
  t.match((await client.token(form, basic('web'))).json, {
    error: 'invalid_grant',
    error_description: /This request repeats one with another DPoP key or certificate/,
  })
  const plain = await service.token({ ...form, refresh_token: String(next.json.refresh_token) }, basic('web'))
  t.equal(plain.json.token_type, 'Bearer', 'without a proof')
})

forEachService('a client of bound tokens gets none without a proof', async (t, start) => {
  const { service, client } = await startWith(start)
  const strict = { ...CLIENTS.service, client_id: 'strict', dpop_bound_access_tokens: true }
  await createClient(service.storage, 'strict', formatClient(strict))
  refused(t, await service.token(FORM, basic('strict')), /send a DPoP proof in the header DPoP/)
  await bound(t, service, client, await client.token(FORM, basic('strict')))
})

forEachService('the client is checked before the proof', async (t, start) => {
  const { service } = await startWith(start)
  const wrong = basic('service', 'a-wrong-secret-of-some-length')
  t.equal((await service.token(FORM, { ...wrong, dpop: 'wrong' })).json.error, 'invalid_client')
  const { json } = await service.token(codeRequest('a code'), { ...basic('service'), dpop: 'wrong' })
  t.equal(json.error, 'invalid_request', 'client_id is another one')
})

forEachService('a code is bound to the key that its request names', async (t, start) => {
  const { service, client } = await startWith(start)
  const other = dpopClient(service, service)
  const code = await service.code({ dpop_jkt: client.key.jkt })
  for (const [name, answer, error_description] of [
    ['another key', await other.token(codeRequest(code)), /The key of the DPoP proof does not match/],
    [
      'no proof',
      await service.token(codeRequest(code)),
      /the request has no DPoP proof: send one of the key/,
    ],
  ] as const) {
    const wrong = { error: 'invalid_grant', error_description }
    t.match({ status: answer.status, json: answer.json }, { status: 400, json: wrong }, name)
  }
  await bound(t, service, client, await client.token(codeRequest(code)))
  for (const dpop_jkt of [
    'short',
    `${client.key.jkt}x`,
    `${client.key.jkt.slice(0, -1)}-`,
    `${client.key.jkt.slice(0, -1)}+`,
  ]) {
    const { redirect } = await service.authorize({ dpop_jkt })
    t.equal(redirect.get('error'), 'invalid_request', dpop_jkt)
    t.match(redirect.get('error_description'), /dpop_jkt must be/)
  }
})

forEachService('where nonces are required, a proof needs one of a replica', async (t, start) => {
  const { service, client } = await startWith(start, { dpop_nonce: 'required' })
  const other = await start({ dpop_nonce: 'required' })
  const code = await service.code()
  const first = await client.token(codeRequest(code))
  t.match(first, { status: 400, json: { error: 'use_dpop_nonce', error_description: /header DPoP-Nonce/ } })
  const nonce = String(first.headers['dpop-nonce'])
  for (const wrong of [`${nonce}A`, 'another']) {
    const refused = await client.token(codeRequest(code), {}, { nonce: wrong })
    t.match(refused, { status: 400, json: { error: 'use_dpop_nonce' } })
    t.ok(refused.headers['dpop-nonce'])
  }
  const answer = await dpopClient(other, { key: client.key, now: service.now }).token(
    codeRequest(code),
    {},
    { nonce },
  )
  await bound(t, service, client, answer)
  t.notOk(answer.headers['dpop-nonce'], 'no other one yet')
  t.equal((await service.token(FORM, basic('service'))).status, 200, 'no proof needs no nonce')
})

forEachStorage(
  'with a nonce the clock of the client may be off, and its proof is used once as long as the nonce counts',
  async (t, place) => {
    const { service, client } = await startWith((options) =>
      startReplica(t, place, { ...options, dpop_nonce: 'required' }),
    )
    const { advance, fastify } = service
    if (advance === undefined) throw new Error('needs the clock of memory')
    for (const error of [-300, 300]) {
      const iat = Math.floor(service.now() / 1000) + error
      const first = await client.token(FORM, basic('service'), { iat })
      t.match(first.json, { error: 'use_dpop_nonce' }, 'the nonce comes before the time')
      const nonce = fastify.redmint.proof_nonces.current()
      const claims = { iat, nonce, jti: `off by ${error}` }
      await bound(t, service, client, await client.token(FORM, basic('service'), claims))
      const again = () => client.token(FORM, basic('service'), claims)
      let answer = await again()
      let seconds = 0
      for (; answer.json.error === 'invalid_dpop_proof'; seconds += 10) {
        t.match(answer.json.error_description, /used before/, `after ${seconds} seconds`)
        advance(10)
        answer = await again()
      }
      t.ok(seconds > NONCE_PERIOD)
      t.match(answer.json, { error: 'use_dpop_nonce' }, 'until its nonce has expired')
    }
  },
  ['memory'],
)

forEachService('a nonce is checked where none is required', async (t, start) => {
  const { service, client } = await startWith(start)
  const refused = await client.token(FORM, basic('service'), { nonce: 'another' })
  t.match(refused, { status: 400, json: { error: 'use_dpop_nonce' } })
  const nonce = refused.headers['dpop-nonce']
  await bound(t, service, client, await client.token(FORM, basic('service'), { nonce }))
})

forEachStorage(
  'an old nonce brings the next one, with success and with an error',
  async (t, place) => {
    const { service, client } = await startWith((options) => startReplica(t, place, options))
    const { advance, fastify } = service
    if (advance === undefined) throw new Error('needs the clock of memory')
    const nonce = fastify.redmint.proof_nonces.current()
    advance(NONCE_PERIOD)
    for (const form of [FORM, { ...FORM, scope: 'unknown' }]) {
      const { status, headers } = await client.token(form, basic('service'), { nonce })
      t.equal(status, form === FORM ? 200 : 400)
      t.equal(headers['dpop-nonce'], fastify.redmint.proof_nonces.current())
    }
    advance(NONCE_PERIOD)
    t.equal((await client.token(FORM, basic('service'), { nonce })).json.error, 'use_dpop_nonce')
  },
  ['memory'],
)
