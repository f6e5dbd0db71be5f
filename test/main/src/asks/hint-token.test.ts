// A client names whom it asks by the word of a trusted issuer (`login_hint_token`, OpenID Connect CIBA Core §7.1).
import t, { type Test } from 'tap'
import { startWithAsks, waitingFor } from '../../../support/asks.ts'
import { assertionOf, type Claims, claimsOf, issuerKey, trustAt } from '../../../support/trusted-issuer.ts'

const IDP = 'https://idp.example.com'
const REFUSED = { status: 400, json: { error: 'invalid_request' } }

async function start(t: Test, record: object = {}) {
  const people = { alice: { linked_subjects: `${IDP}#00u1` } }
  const service = await startWithAsks(t, { trusted_issuers: true, people })
  const key = issuerKey()
  const open = { login_hints: true, conditions: ['tenant=acme'] }
  await trustAt(service, key, { issuer: IDP, ...open, ...record })
  const token = (claims: Claims = {}, header: Claims = {}) =>
    assertionOf(key, claimsOf(IDP, '00u1', { tenant: 'acme', ...claims }), {
      typ: 'login-hint+jwt',
      ...header,
    })
  const askBy = (login_hint_token: string) => service.ask({ login_hint: undefined, login_hint_token })
  return { ...service, token, askBy }
}

t.test('the linked person is asked, and nobody learns whether there is one', async (t) => {
  const { askBy, token, alice, log } = await start(t)
  const known = await askBy(token())
  t.equal(known.status, 200)
  t.equal((await waitingFor(alice)).length, 1)
  const unknown = await askBy(token({ sub: '00u2' }))
  t.strictSame([unknown.status, Object.keys(unknown.json)], [200, Object.keys(known.json)])
  t.match(log.at(-1), /"event":"ask_dropped","reason":"unknown"|request completed/)
})

t.test('what is not for this, or not any more, is refused', async (t) => {
  const { askBy, token } = await start(t)
  for (const typ of ['JWT', 'at+jwt', 'oauth-id-jag+jwt', undefined])
    t.match(await askBy(token({}, { typ })), REFUSED, String(typ))
  t.match(await askBy(token({ aud: 'https://elsewhere.example.com' })), REFUSED, 'another audience')
  t.match(await askBy(token({ tenant: 'other' })), REFUSED, 'a condition')
  t.match(await askBy(`${token().slice(0, -4)}AAAA`), REFUSED, 'the signature')
  t.match(await askBy('nonsense'), REFUSED)
  const now = Math.floor(Date.now() / 1000)
  t.match(await askBy(token({ iat: now - 400, exp: now - 200 })), {
    status: 400,
    json: { error: 'expired_login_hint_token' },
  })
})

t.test('an issuer whose record does not say so names nobody', async (t) => {
  const { askBy, token } = await start(t, { login_hints: false })
  t.match(await askBy(token()), REFUSED)
})
