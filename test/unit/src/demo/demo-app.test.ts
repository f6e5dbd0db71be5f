import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { type DemoCaller, finishDemo } from '../../../../src/demo/demo-app.ts'
import { VerifiedTokens } from '../../../../src/keys/verified-jws.ts'
import { signJwt } from '../../../../src/tokens/jwt.ts'

const issuer = 'http://localhost:3000'
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const key = { kid: 'a', alg: 'EdDSA', publicKey, signature_length: 64 } as const
const keys = { verificationKey: () => key, verified: new VerifiedTokens(), notBefore: 0 }
const context = { settings: { issuer }, keys, now: () => 1_800_000_000_000 }
const attempt = { state: 'a-state', nonce: 'a-nonce', code_verifier: 'a-verifier' }
const response = { code: 'a-code', state: 'a-state', iss: issuer }
const claims = {
  iss: issuer,
  aud: 'demo-page',
  sub: 'alice',
  nonce: 'a-nonce',
  iat: 1_800_000_000,
  exp: 1_800_000_900,
}

/** What comes of an answer of the token endpoint with an id_token of these claims. */
function finish(changes: object) {
  const id_token = signJwt({ ...key, privateKey }, 'JWT', { ...claims, ...changes })
  const tokens = { access_token: 'a', id_token, scope: 'openid', expires_in: 900 }
  const caller: DemoCaller = {
    post: async () => ({ status: 200, json: tokens }),
    get: async () => ({ status: 500, json: null }),
  }
  return finishDemo(context, attempt, response, caller)
}

t.test('an id_token that is not for this attempt is refused (OpenID Connect Core §3.1.3.7)', async (t) => {
  t.match(await finish({}), { access_token: 'a' })
  t.match(await finish({ nonce: 'another' }), {
    json: { error: 'invalid_response', error_description: /nonce/ },
  })
  t.match(await finish({ nonce: undefined }), { json: { error_description: /without the claim nonce/ } })
  t.match(await finish({ aud: 'demo-app' }), { json: { error_description: /another audience/ } })
  t.match(await finish({ exp: 1_800_000_000 }), { json: { error_description: /expired/ } })
})
