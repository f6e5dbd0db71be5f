import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { PLACE, VerifiedTokens } from '../../../../src/keys/verified-jws.ts'

const { publicKey } = generateKeyPairSync('ed25519')
const KEY = { kid: 'a', alg: 'EdDSA', publicKey, signature_length: 64 } as const
const JWS = { key: KEY, typ: 'application/at+jwt', claims: {} } as const

/** Which of the tokens are kept. */
const kept = (tokens: VerifiedTokens, ...names: string[]) => names.filter((name) => tokens.find(name))

t.test('keeps a bounded number of tokens, those that were used last', async (t) => {
  const tokens = new VerifiedTokens(2 * (PLACE + 1))
  tokens.keep('a', JWS)
  tokens.keep('b', JWS)
  t.equal(tokens.find('a'), JWS)
  tokens.keep('c', JWS)
  t.strictSame(kept(tokens, 'a', 'b', 'c'), ['a', 'c'])
})

t.test('keeps a bounded length of tokens', async (t) => {
  const tokens = new VerifiedTokens(3 * PLACE + 100)
  const [first, second, third] = ['a', 'b', 'c'].map((name) => name.repeat(40)) as [string, string, string]
  for (const token of [first, second, third]) tokens.keep(token, JWS)
  t.strictSame(kept(tokens, first, second, third), [second, third])
  const long = 'd'.repeat(2 * PLACE + 101)
  tokens.keep(long, JWS)
  t.strictSame(kept(tokens, second, third, long), [second, third], 'one longer than all is not kept')
})

t.test('by default 20,000 tokens of 500 characters are kept', async (t) => {
  const tokens = new VerifiedTokens()
  const token = (i: number) => `${i}`.padStart(500, '0')
  for (let i = 0; i <= 20_000; i++) tokens.keep(token(i), JWS)
  t.strictSame(kept(tokens, token(0), token(1), token(20_000)), [token(1), token(20_000)])
})
