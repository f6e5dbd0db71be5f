// The code flow of a user of the load.
import { jsonOf, WrongAnswer } from './answers.ts'
import type { Browser } from './browser.ts'
import { asClient, SCOPE } from './requests.ts'
import type { User } from './user.ts'

// RFC 7636 Appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/**
 * A code flow in a browser.
 * @param how whether the client pushes the authorization request (RFC 9126)
 * @returns the members of the token response
 */
export async function codeFlow(
  user: User,
  browser: Browser,
  how: 'pushed' | 'in the URL' = 'in the URL',
): Promise<Record<string, unknown>> {
  const { connection, target, tokens } = user
  const { client_id, redirect_uri } = target.subject
  const url = new URL(target.endpoints.authorization)
  const query = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: SCOPE,
    state: 'a-state-of-the-client',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  }
  const sent = how === 'pushed' ? { client_id, request_uri: await push(user, query) } : query
  url.search = new URLSearchParams(sent).toString()
  const told = await browser.authorize(url)
  const code = told.get('code')
  if (code === null) throw new Error(`the authorization endpoint answered ${told}`)
  const answer = await connection.send(
    asClient(user, target.endpoints.token, {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: VERIFIER,
    }),
  )
  const members = jsonOf(answer)
  tokens.access(answer, members)
  tokens.refresh(answer, members)
  tokens.id(answer, members)
  return members
}

/** Pushes an authorization request. @returns its request_uri */
async function push(user: User, parameters: Record<string, string>): Promise<string> {
  const { connection, target } = user
  const answer = await connection.send(
    asClient(user, target.endpoints.pushed_authorization_request, parameters),
  )
  const { request_uri } = jsonOf(answer, 201)
  if (typeof request_uri !== 'string') throw new WrongAnswer('expected a request_uri', answer)
  return request_uri
}
