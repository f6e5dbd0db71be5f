// What a consent to details is, and what is kept of it.
import t from 'tap'
import { parseClient } from '../../../../src/clients/record/client-record.ts'
import type { CheckedDetail } from '../../../../src/details/check-details.ts'
import { DETAIL_TYPE } from '../../../../src/details/detail-type.ts'
import {
  type ConsentRecord,
  detailName,
  isConsentedScope,
  isDetailName,
  rememberedDetails,
} from '../../../../src/interaction/consent.ts'
import { type ConsentSite, siteFor } from '../../../../src/interaction/consent-site.ts'
import { askedBy, consentedBy, consentStep } from '../../../../src/interaction/consent-step.ts'
import { readAccessClaims } from '../../../../src/tokens/access-jwt.ts'
import { parseTokenRecord } from '../../../../src/tokens/token-record.ts'
import { PAYMENT, PAYMENT_SCHEMA } from '../../../support/details.ts'

const typeWith = (fields: Record<string, string> = {}) => {
  const text = '{"en":"Pay {amount}"}'
  const parsed = DETAIL_TYPE.parse({ schema: JSON.stringify(PAYMENT_SCHEMA), text, ...fields }, 'payment')
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.record
}
const payment = (amount: number, fields = {}): CheckedDetail => ({
  detail: { ...PAYMENT, amount },
  type: typeWith(fields),
})
const parsed = parseClient('shop', {
  ...{ client_name: 'Shop', is_public: 'true', redirect_uris: 'https://s.example/' },
  ...{ grant_types: 'authorization_code', allowed_scopes: 'openid' },
})
if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
const { record: client } = parsed
const stepFor = (details: readonly CheckedDetail[], remembered?: Pick<ConsentRecord, 'scope' | 'details'>) =>
  consentStep({ client, names: ['openid'], resources: [], details }, remembered)

t.test('T20: what a page asked about has the values and the sentence in its digest', async (t) => {
  const asked = askedBy(stepFor([payment(1)]))
  t.equal(askedBy(stepFor([payment(1)])), asked)
  const { detail, type } = payment(1)
  const turned = { detail: { creditor: 'Merchant A', currency: 'EUR', amount: 1, type: 'payment' }, type }
  t.equal(askedBy(stepFor([turned])), asked, 'the order of members does not count')
  for (const other of [
    [payment(2)],
    [payment(1, { text: '{"en":"Give {amount}"}' })],
    [payment(1), payment(2)],
    [{ detail: { ...detail, purpose: 'rent' }, type }],
    [],
  ])
    t.not(askedBy(stepFor(other)), asked)
})

t.test('details cannot be left out, and are asked here', async (t) => {
  const step = stepFor([payment(1)])
  t.strictSame(step.required, ['openid', detailName(payment(1))])
  const consent_site = { name: 'own' } as unknown as ConsentSite
  t.equal(siteFor({ consent_site }, step), undefined, 'no page of an application shows the sentence')
  t.equal(siteFor({ consent_site }, stepFor([])), consent_site)
})

t.test('only what a type lets be remembered is, and not without end', async (t) => {
  t.strictSame(consentedBy(stepFor([payment(1)]), new Set()), { scope: 'openid' })
  const remember = { remember: 'true' }
  let consent: Pick<ConsentRecord, 'scope' | 'details'> | undefined
  for (let amount = 1; amount <= 30; amount++)
    consent = consentedBy(stepFor([payment(amount, remember)], consent), new Set())
  const names = consent?.scope.split(' ') ?? []
  t.strictSame(names.filter(isConsentedScope), ['openid'], 'they are no scopes')
  t.equal(names.length, 1 + 21, 'the last ones, and the one that was asked for')
  t.ok(names.includes(detailName(payment(30, remember))))
  t.notOk(names.includes(detailName(payment(1, remember))))
  const kept = rememberedDetails(consent ?? { scope: '' })
  t.strictSame([...kept.keys()], names.filter(isDetailName), 'each with what it is')
  t.strictSame([...kept.values()].at(-1), payment(30).detail)
})

t.test('long details are remembered up to so many bytes', async (t) => {
  let consent: Pick<ConsentRecord, 'scope' | 'details'> | undefined
  const one = (amount: number): CheckedDetail => ({
    detail: { ...PAYMENT, amount, creditor: '…'.repeat(300), purpose: '…'.repeat(140) },
    type: typeWith({ remember: 'true' }),
  })
  for (let amount = 1; amount <= 20; amount++)
    consent = consentedBy(stepFor([one(amount)], consent), new Set())
  const kept = rememberedDetails(consent ?? { scope: '' })
  t.equal(kept.size, 6, 'five of before in 8 KiB')
  t.ok(kept.has(detailName(one(20))))
  t.ok(Buffer.byteLength(consent?.details ?? '') < 10_000)
})

t.test('what a consent says of its details counts for its names alone', async (t) => {
  const { detail } = payment(1)
  const name = detailName(payment(1))
  const read = (scope: string, details: string) => [...rememberedDetails({ scope, details }).keys()]
  t.strictSame(read(`openid ${name}`, JSON.stringify({ [name]: detail, other: detail })), [name])
  for (const wrong of ['x', '[]', '{}', JSON.stringify({ [name]: {} }), JSON.stringify({ [name]: [detail] })])
    t.strictSame(read(name, wrong), [], wrong)
  t.strictSame(read('openid __proto__', JSON.stringify({ openid: detail })), [], 'no scope is a detail')
})

t.test('a token whose details cannot be read is none', async (t) => {
  const token = 'a token'
  const hash = { jti: token, type: 'access_token', expires_at: '2030-01-01T00:00:00Z', revoked: 'false' }
  const read = (authorization_details: string) =>
    parseTokenRecord(token, { ...hash, client_id: 'shop', authorization_details })
  t.match(read('[{"type":"payment"}]'), {
    ok: true,
    record: { authorization_details: '[{"type":"payment"}]' },
  })
  for (const wrong of ['x', '{}', '[]', '[1]'])
    t.match(read(wrong), { ok: false, problems: [{ field: 'authorization_details' }] })
  const claims = { jti: token, sub: 'alice', aud: 'a', client_id: 'shop', exp: 2e9, iat: 1e9 }
  t.match(readAccessClaims({ ...claims, authorization_details: [{ type: 'a' }] }, 'i'), {
    authorization_details: '[{"type":"a"}]',
  })
  for (const wrong of ['x', {}, [], [1]])
    t.equal(readAccessClaims({ ...claims, authorization_details: wrong }, 'i'), undefined)
})
