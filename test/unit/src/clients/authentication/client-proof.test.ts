// The key that a pushed authorization request proves or names (RFC 9449 §10.1).
import t from 'tap'
import { keyOfRequest } from '../../../../../src/clients/authentication/client-proof.ts'
import { makeDpopKey, makeProof } from '../../../../support/dpop.ts'
import { inheritedNames } from '../../../../support/inherited-names.ts'

const NOW = Date.parse('2026-11-22T12:00:00Z')
const ISSUER = 'https://auth.example.com'
const PATH = '/oauth2/par'
const KEY = makeDpopKey()
const REQUEST = { client_id: 'app', redirect_uri: 'https://app.example.com/callback' }

const context = {
  settings: { dpop_nonce: 'off' as const },
  keys: { notBefore: 0 },
  proof_nonces: {
    current: () => 'the next',
    judge: () => ({ age: 61, ends_at: NOW / 1000 + 59, is_old: true }),
  },
  now: () => NOW,
}

function keyOf(proofs: readonly string[], parameters: Record<string, string> = {}) {
  const offered: string[] = []
  const caller = { endpoint: ISSUER + PATH, proofs, offerNonce: (nonce: string) => void offered.push(nonce) }
  const found = keyOfRequest(context, caller, {}, { ...REQUEST, ...parameters })
  return { ...found, offered }
}

const proofOf = (key = KEY, claims: Record<string, unknown> = {}) =>
  makeProof(key, { htm: 'POST', htu: ISSUER + PATH, iat: NOW / 1000, ...claims })

t.test('a proof means the same as dpop_jkt', async (t) => {
  const { parameters, single_uses, offered } = keyOf([proofOf()])
  t.match(parameters, { ...REQUEST, dpop_jkt: KEY.jkt })
  t.strictSame(inheritedNames(parameters), [])
  t.match(single_uses, [{ kind: 'proof' }])
  t.strictSame(offered, [])
  t.equal(keyOf([proofOf()], { dpop_jkt: KEY.jkt }).parameters.dpop_jkt, KEY.jkt, 'both')
})

t.test('without a proof the request is as it was', async (t) => {
  for (const dpop_jkt of [undefined, KEY.jkt]) {
    const { parameters, single_uses } = keyOf([], dpop_jkt === undefined ? {} : { dpop_jkt })
    t.equal(parameters.dpop_jkt, dpop_jkt)
    t.strictSame(single_uses, [])
  }
})

t.test('a proof of another key than dpop_jkt is refused', async (t) => {
  const refused = { code: 'invalid_dpop_proof', description: /its key is not that of dpop_jkt/ }
  t.throws(() => keyOf([proofOf(makeDpopKey())], { dpop_jkt: KEY.jkt }), refused)
})

t.test('the proof is for this endpoint, and there is one', async (t) => {
  const elsewhere = proofOf(KEY, { htu: `${ISSUER}/oauth2/token` })
  t.throws(() => keyOf([elsewhere]), { code: 'invalid_dpop_proof', description: /htu/ })
  t.throws(() => keyOf([proofOf(), proofOf()]), { code: 'invalid_dpop_proof', description: /more than one/ })
})

t.test('an old nonce brings the next one', async (t) => {
  t.strictSame(keyOf([proofOf(KEY, { nonce: 'before' })]).offered, ['the next'])
})
