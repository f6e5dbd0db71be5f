// PKCE for clients that are exempt from it (RFC 9700 §2.1.1): both a challenge and its verifier, or neither.
import t, { type Test } from 'tap'
import { s256Challenge } from '../../../../src/tokens/pkce.ts'
import { type Party, populate, redeem, saveCode } from '../../../support/claims/sign-ins.ts'
import { startService, VERIFIER } from '../../../support/service.ts'

const CHALLENGE = s256Challenge(VERIFIER)
const WITHOUT = undefined
const OTHER = `${VERIFIER}-another`

interface Row {
  says: string
  party: Party
  code_challenge: string | undefined
  code_verifier: string | undefined
  error?: string
}

const ROWS: readonly Row[] = [
  { says: 'neither', party: 'plain', code_challenge: WITHOUT, code_verifier: WITHOUT },
  { says: 'both', party: 'plain', code_challenge: CHALLENGE, code_verifier: VERIFIER },
  {
    says: 'no verifier',
    party: 'plain',
    code_challenge: CHALLENGE,
    code_verifier: WITHOUT,
    error: 'invalid_grant',
  },
  {
    says: 'an empty verifier',
    party: 'plain',
    code_challenge: CHALLENGE,
    code_verifier: '',
    error: 'invalid_grant',
  },
  {
    says: 'another verifier',
    party: 'plain',
    code_challenge: CHALLENGE,
    code_verifier: OTHER,
    error: 'invalid_grant',
  },
  {
    says: 'a verifier without a challenge',
    party: 'plain',
    code_challenge: WITHOUT,
    code_verifier: VERIFIER,
    error: 'invalid_grant',
  },
  {
    says: 'a malformed verifier without a challenge',
    party: 'plain',
    code_challenge: WITHOUT,
    code_verifier: 'x',
    error: 'invalid_grant',
  },
  {
    says: 'a malformed verifier',
    party: 'plain',
    code_challenge: s256Challenge('x'),
    code_verifier: 'x',
    error: 'invalid_grant',
  },
  {
    says: 'the challenge as verifier',
    party: 'plain',
    code_challenge: CHALLENGE,
    code_verifier: CHALLENGE,
    error: 'invalid_grant',
  },
  { says: 'required, both', party: 'wiki', code_challenge: CHALLENGE, code_verifier: VERIFIER },
  {
    says: 'required, no verifier',
    party: 'wiki',
    code_challenge: CHALLENGE,
    code_verifier: WITHOUT,
    error: 'invalid_grant',
  },
  {
    says: 'required, an empty verifier',
    party: 'wiki',
    code_challenge: CHALLENGE,
    code_verifier: '',
    error: 'invalid_grant',
  },
  {
    says: 'required, neither',
    party: 'wiki',
    code_challenge: WITHOUT,
    code_verifier: WITHOUT,
    error: 'invalid_grant',
  },
  {
    says: 'required, a verifier without a challenge',
    party: 'wiki',
    code_challenge: WITHOUT,
    code_verifier: VERIFIER,
    error: 'invalid_grant',
  },
  {
    says: 'public, neither',
    party: 'shop',
    code_challenge: WITHOUT,
    code_verifier: WITHOUT,
    error: 'invalid_grant',
  },
]

t.test(
  'a request needs both code_challenge and code_verifier, or neither if the client is exempt',
  async (t) => {
    const service = await startWithAccounts(t)
    for (const { says, party, code_challenge, code_verifier, error } of ROWS) {
      const code = await saveCode(service.storage, party, { code_challenge })
      const { status, json } = await redeem(service, party, code, { code_verifier })
      t.equal(status, error === undefined ? 200 : 400, says)
      t.equal(json.error, error)
      t.equal(Object.hasOwn(json, 'access_token'), error === undefined)
      if (error === undefined || code_challenge !== CHALLENGE) continue
      const again = await redeem(service, party, code)
      t.equal(again.status, 200, `${says}: a wrong attempt does not spend the code`)
    }
  },
)

t.test('a code without a challenge is redeemed once only', async (t) => {
  const service = await startWithAccounts(t)
  const code = await saveCode(service.storage, 'plain', { code_challenge: WITHOUT })
  const attempts = await Promise.all(
    Array.from({ length: 4 }, () => redeem(service, 'plain', code, { code_verifier: WITHOUT })),
  )
  t.strictSame(attempts.map(({ status }) => status).sort(), [200, 400, 400, 400])
})

t.test('a client that requires PKCE again cannot redeem a code without a challenge', async (t) => {
  const service = await startWithAccounts(t)
  const code = await saveCode(service.storage, 'wiki', { code_challenge: WITHOUT })
  for (const code_verifier of [WITHOUT, '', VERIFIER]) {
    t.equal((await redeem(service, 'wiki', code, { code_verifier })).status, 400)
  }
})

async function startWithAccounts(t: Test) {
  const service = await startService(t, { demo: false })
  await populate(service.storage)
  return service
}
