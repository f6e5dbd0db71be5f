// What openid-client sends with an authorization request, and checks of the answer.
import * as client from 'openid-client'

/** Returns the parameters of a request, and the checks of its answer: new values each time. */
export async function newRequest(redirect_uri: string, scope: string) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const checks = {
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
    idTokenExpected: true,
    pkceCodeVerifier,
  }
  const parameters = {
    redirect_uri,
    scope,
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  }
  return { checks, parameters }
}
