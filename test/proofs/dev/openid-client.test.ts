// `redmint dev check-client` against openid-client: what it finds in a known good client is advice.
import { exportJWK, generateKeyPair } from 'jose'
import t, { type Test } from 'tap'
import { CALLBACK_CHECKS } from '../../../dev/check-client/callback-checks.ts'
import { CHECKING, checkClientAt } from '../../../dev/check-client/check-client.ts'
import { ID_TOKEN_CHECKS } from '../../../dev/check-client/id-token-checks.ts'
import { REQUEST_CHECKS } from '../../../dev/check-client/request-checks.ts'
import { SIGNATURE_CHECKS } from '../../../dev/check-client/signature-checks.ts'
import { SIGNED_ANSWER_CHECKS } from '../../../dev/check-client/signed-answer-checks.ts'
import type { DevParts } from '../../../dev/parts.ts'
import { type CheckReport, hasFailed, verdictOf } from '../../../dev/report/report.ts'
import { startParts } from '../../../dev/start.ts'
import { notPassed } from '../../support/dev/not-passed.ts'
import { OpenidClientParty } from '../../support/dev/openid-client-party.ts'

/** Starts a server, and a party that is a client of it. @param fields more of its record */
async function startParty(t: Test, fields: object = {}) {
  const party = new OpenidClientParty()
  const origin = await party.start()
  t.teardown(() => party.close())
  const client = {
    ...{ client_id: 'shop', is_public: true, redirect_uris: [`${origin}/callback`] },
    ...{ allowed_scopes: ['openid', 'profile'], ...fields },
  }
  const { redmint, parts } = await startParts({ seed: { clients: [client] }, settings: CHECKING })
  t.teardown(() => redmint.close())
  party.issuer = redmint.issuer
  return { party, origin, parts }
}

t.test('D9: openid-client passes', async (t) => {
  const { party, origin, parts } = await startParty(t)
  const { results, stopped } = await checkClientAt(parts, { url: `${origin}/account`, slow: 0.2, pause: 0 })
  t.equal(stopped, undefined)
  const idsOf = (verdict: string) =>
    results.filter((result) => verdictOf(result) === verdict).map(({ check }) => check.id)
  t.same(idsOf('failed'), [])
  t.same(idsOf('skipped'), [...SIGNED, 'refresh-answer-lost'])
  // What it leaves to TLS and to a cache.
  t.same(idsOf('advice'), ['issued-far-away', 'access-token-hash', 'type-wrong', 'key-sudden'])

  party.pushes = true
  const pushed = await checkClientAt(parts, {
    url: `${origin}/account`,
    only: [...REQUEST_CHECKS, ...CALLBACK_CHECKS].map(({ id }) => id),
  })
  t.same(notPassed(pushed), [], 'requests that are pushed')
})

// What an advice about openid-client was, above, is none here.
const ADVICE = ['issued-far-away', 'access-token-hash', 'type-wrong', 'key-sudden']
const SIGNED = SIGNED_ANSWER_CHECKS.map(({ id }) => id)

/** The outcomes that are neither passed nor advice that is known, with why. */
const unusual = (report: CheckReport) =>
  notPassed(report).filter((line) => !ADVICE.some((id) => line.startsWith(`${id}: advice`)))

t.test('D9: openid-client with signed requests, by value and pushed', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'requests', alg: 'ES256', use: 'sig' }
  const { party, origin, parts } = await startParty(t, {
    jwks: { keys: [jwk] },
    request_object_signing_alg: 'ES256',
  })
  party.signs_by = { key: privateKey, kid: 'requests' }
  for (const pushes of [false, true]) {
    party.pushes = pushes
    const report = await checkClientAt(parts, {
      url: `${origin}/account`,
      only: [...REQUEST_CHECKS, ...CALLBACK_CHECKS].map(({ id }) => id),
    })
    t.same(unusual(report), [], `pushed: ${pushes}`)
  }
})

t.test(
  'D9: openid-client with signed answers, an encrypted id_token and signed user information',
  async (t) => {
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'answers', alg: 'ECDH-ES', use: 'enc' }
    const { party, origin, parts } = await startParty(t, {
      ...{ jwks: { keys: [jwk] }, authorization_signed_response_alg: 'ES256' },
      ...{ id_token_encrypted_response_alg: 'ECDH-ES', userinfo_signed_response_alg: 'RS256' },
    })
    Object.assign(party, {
      asks_signed: true,
      decrypts_by: { key: privateKey, alg: 'ECDH-ES', kid: 'answers' },
    })
    party.metadata = { authorization_signed_response_alg: 'ES256', userinfo_signed_response_alg: 'RS256' }
    const report = await checkClientAt(parts, { url: `${origin}/account`, slow: 0.2, pause: 0 })
    const encrypted = [...ID_TOKEN_CHECKS, ...SIGNATURE_CHECKS].map(({ id }) => id)
    t.same(
      report.results.filter((result) => verdictOf(result) === 'skipped').map(({ check }) => check.id),
      ['state-repeated', ...encrypted, 'refresh-answer-lost'],
    )
    t.equal(report.stopped, undefined)
    t.notOk(hasFailed(report), unusual(report).join('\n'))
    t.same(await passedAt(parts, origin, ['userinfo-of-another', ...SIGNED]), [])
  },
)

t.test('D9: openid-client with answers and user information that are encrypted', async (t) => {
  const { publicKey, privateKey } = await generateKeyPair('RSA-OAEP-256', { extractable: true })
  const jwk = { ...(await exportJWK(publicKey)), kid: 'answers', alg: 'RSA-OAEP-256', use: 'enc' }
  const alg = 'RSA-OAEP-256'
  const { party, origin, parts } = await startParty(t, {
    ...{ jwks: { keys: [jwk] }, authorization_signed_response_alg: 'ES256' },
    ...{ authorization_encrypted_response_alg: alg, userinfo_encrypted_response_alg: alg },
    userinfo_signed_response_alg: 'RS256',
  })
  Object.assign(party, { asks_signed: true, decrypts_by: { key: privateKey, alg, kid: 'answers' } })
  party.metadata = { authorization_signed_response_alg: 'ES256', userinfo_signed_response_alg: 'RS256' }
  const only = ['state-wrong', 'callback-twice', 'userinfo-of-another', 'nonce-wrong', ...SIGNED]
  const report = await checkClientAt(parts, { url: `${origin}/account`, only })
  t.equal(report.stopped, undefined)
  t.same(
    report.results.filter((result) => verdictOf(result) !== 'skipped').map(({ check }) => check.id),
    ['callback-twice', 'nonce-wrong'],
  )
  t.notOk(hasFailed(report), unusual(report).join('\n'))
})

/** Runs some checks, and returns those that are not passed. */
async function passedAt(parts: DevParts, origin: string, only: readonly string[]): Promise<string[]> {
  return notPassed(await checkClientAt(parts, { url: `${origin}/account`, only }))
}
