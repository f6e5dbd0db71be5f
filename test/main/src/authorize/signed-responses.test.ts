// Authorization responses as signed JWTs (JARM), in every mode.
import t, { type Test } from 'tap'
import { RESPONSE_JWT_TTL } from '../../../../src/authorize/response.ts'
import type { EncryptionAlg } from '../../../../src/core/algs.ts'
import { decrypted, decryptionKey, keySetWith } from '../../../support/encryption-key.ts'
import { changeClient } from '../../../support/records.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { codeRequest, ISSUER, startService } from '../../../support/service.ts'
import { verified } from '../../../support/signed-answer.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

const AT = 1_800_000_000_000
const CURRENT = { audience: 'shop', currentDate: new Date(AT) }

const startAt = (t: Test) => scene(t, { now: () => AT })

t.test('a response has one parameter, a JWT with all others as claims', async (t) => {
  const service = await startAt(t)
  const alice = service.visitor()
  await signInAndAgree(alice)
  const state = ' a "state" & ✓'
  for (const response_mode of ['jwt', 'query.jwt', 'form_post.jwt']) {
    const found = await alice.open(requestUrl({ response_mode, state }))
    const is_query = response_mode !== 'form_post.jwt'
    t.equal('location' in found, is_query, response_mode)
    const told = 'location' in found ? Object.fromEntries(found.told) : found.hidden
    t.same(Object.keys(told), ['response'])
    const { header, claims } = await verified(service, told.response ?? '', CURRENT)
    t.match(header, { alg: 'RS256', typ: 'JWT', kid: String })
    const { code, ...rest } = claims
    t.strictSame(rest, { state, iss: ISSUER, aud: 'shop', exp: AT / 1000 + RESPONSE_JWT_TTL })
    t.equal((await service.token(codeRequest(String(code), { client_id: 'shop' }))).status, 200)
  }
})

t.test('errors are reported in the same way', async (t) => {
  const service = await startAt(t)
  const cases = {
    login_required: { prompt: 'none' },
    invalid_request: { prompt: 'never' },
    invalid_scope: { scope: 'unknown', state: undefined },
  }
  for (const [error, overrides] of Object.entries(cases)) {
    const found = asDeparture(
      await service.visitor().open(requestUrl({ ...overrides, response_mode: 'jwt' })),
    )
    t.same([...found.told.keys()], ['response'])
    const { claims } = await verified(service, String(found.told.get('response')), CURRENT)
    const { error_description, ...rest } = claims
    t.type(error_description, 'string')
    const state = 'state' in overrides ? {} : { state: 'a state' }
    t.strictSame(rest, { error, ...state, iss: ISSUER, aud: 'shop', exp: AT / 1000 + RESPONSE_JWT_TTL })
  }
  const visitor = service.visitor()
  const consent = asPage(
    await signInOn(visitor, await visitor.page(requestUrl({ response_mode: 'form_post.jwt' }))),
  )
  const denied = asPage(await visitor.submit(consent, { decision: 'deny' }))
  t.same(Object.keys(denied.hidden), ['response'])
  t.match((await verified(service, denied.hidden.response ?? '', CURRENT)).claims, { error: 'access_denied' })
})

t.test('the client chooses the algorithm, and not that a response is signed', async (t) => {
  const service = await startAt(t)
  const set = { authorization_signed_response_alg: 'ES256' }
  await changeClient(service.storage, 'shop', { set, unset: [] })
  const alice = service.visitor()
  const plain = await signInAndAgree(alice)
  t.ok(plain.told.get('code'), 'without a response_mode')
  const signed = asDeparture(await alice.open(requestUrl({ response_mode: 'jwt' })))
  const { header } = await verified(service, String(signed.told.get('response')), CURRENT)
  t.equal(header.alg, 'ES256')
})

t.test('a mode that is not supported is reported in the default mode', async (t) => {
  const { visitor } = await startAt(t)
  for (const response_mode of ['fragment', 'fragment.jwt', 'JWT', 'jwt ', '.jwt', 'web_message']) {
    const { told } = asDeparture(await visitor().open(requestUrl({ response_mode })))
    t.match(Object.fromEntries(told), {
      error: 'invalid_request',
      error_description: 'response_mode must be one of query, form_post, jwt, query.jwt, form_post.jwt.',
    })
  }
})

t.test('without a key that can sign no code is issued', async (t) => {
  const service = await scene(t, { signing_algs: ['ES256', 'RS256'] })
  const alice = service.visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl({ response_mode: 'jwt' }))))
  const withAlg = (alg: string) =>
    changeClient(service.storage, 'shop', { set: { authorization_signed_response_alg: alg }, unset: [] })
  await withAlg('EdDSA')
  const failed = asPage(await alice.submit(consent, { decision: 'allow' }))
  t.equal(failed.status, 500)
  t.match(service.log.join(''), 'The client shop has the algorithm EdDSA: add it to SIGNING_ALGS')
  const refused = asPage(await service.visitor().open(requestUrl({ response_mode: 'jwt', prompt: 'none' })))
  t.equal(refused.status, 500, 'nor is an error reported without a signature')
  await withAlg('ES256')
  const { told } = asDeparture(await alice.submit(consent, { decision: 'allow' }))
  t.ok(told.get('response'), 'the request was not finished')
})

t.test('without a key that can sign nothing is stored', async (t) => {
  const service = await startService(t, { signing_algs: ['RS256'], access_token_alg: 'RS256' })
  const set = { authorization_signed_response_alg: 'ES256' }
  await changeClient(service.storage, 'app', { set, unset: [] })
  const puts: unknown[] = []
  const { records } = service.storage
  const put = records.put.bind(records)
  records.put = (record) => {
    puts.push(record)
    return put(record)
  }
  t.equal((await service.authorize({ response_mode: 'jwt' })).status, 500)
  t.same(puts, [])
  t.ok((await service.authorize()).redirect.get('code'))
  t.equal(puts.length, 1, 'the code of a plain response')
})

t.test('a response does not pass as an id_token', async (t) => {
  const service = await startAt(t)
  const alice = service.visitor()
  await signInAndAgree(alice)
  const signed = asDeparture(await alice.open(requestUrl({ response_mode: 'jwt' })))
  const id_token_hint = String(signed.told.get('response'))
  const { told } = asDeparture(await alice.open(requestUrl({ id_token_hint })))
  t.match(Object.fromEntries(told), { error: 'invalid_request', error_description: /id_token_hint/ })
})

t.test('a response is encrypted to a key of the client', async (t) => {
  const service = await startAt(t)
  const key = decryptionKey('for shop')
  const set = {
    authorization_encrypted_response_alg: 'ECDH-ES',
    authorization_encrypted_response_enc: 'A256GCM',
    jwks: keySetWith(key),
  }
  await changeClient(service.storage, 'shop', { set, unset: [] })
  const alice = service.visitor()
  const opened = async (overrides: Record<string, string>) => {
    const { told } = asDeparture(await alice.open(requestUrl({ response_mode: 'jwt', ...overrides })))
    t.same([...told.keys()], ['response'])
    const { header, jwt } = await decrypted(key, String(told.get('response')))
    t.match(header, { alg: 'ECDH-ES', enc: 'A256GCM', kid: 'for shop', cty: 'JWT' })
    return (await verified(service, jwt, CURRENT)).claims
  }
  t.match(await opened({ prompt: 'none' }), { error: 'login_required' })
  const plain = await signInAndAgree(alice)
  t.ok(plain.told.get('code'), 'a plain response stays plain')
  t.match(await opened({}), { code: String, iss: ISSUER, aud: 'shop' })
})

t.test('without a key of the client no code is issued', async (t) => {
  const service = await startAt(t)
  const alice = service.visitor()
  const consent = asPage(await signInOn(alice, await alice.page(requestUrl({ response_mode: 'jwt' }))))
  const withKey = (alg: EncryptionAlg) =>
    changeClient(service.storage, 'shop', {
      set: {
        authorization_encrypted_response_alg: 'ECDH-ES',
        jwks: keySetWith(decryptionKey('a key', alg)),
      },
      unset: [],
    })
  await withKey('RSA-OAEP-256')
  const failed = asPage(await alice.submit(consent, { decision: 'allow' }))
  t.equal(failed.status, 400)
  t.match(failed.text, 'The client has no key for ECDH-ES')
  await withKey('ECDH-ES')
  const { told } = asDeparture(await alice.submit(consent, { decision: 'allow' }))
  t.equal(String(told.get('response')).split('.').length, 5, 'the request was not finished')
})
