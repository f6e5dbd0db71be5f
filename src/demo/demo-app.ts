import type { Settings } from '../config/settings.ts'
import { PATHS, pathAt } from '../core/paths.ts'
import { randomText } from '../core/token-string.ts'
import { withQuery } from '../core/uri.ts'
import type { VerifyingKeys } from '../tokens/jws.ts'
import { verifyJwt } from '../tokens/jwt.ts'
import { s256Challenge } from '../tokens/pkce.ts'
import { DEMO_PAGE } from './demo-clients.ts'

/** The answer to a request of the demo client. */
export interface DemoAnswer {
  readonly status: number
  /** The JSON of the body; null if it is not JSON. */
  readonly json: unknown
}

/** Sends requests of the demo client to the endpoints of this service. */
export interface DemoCaller {
  post(path: string, form: Readonly<Record<string, string>>): Promise<DemoAnswer>
  get(path: string, access_token: string): Promise<DemoAnswer>
}

/** What the demo client must remember while the user signs in. */
export interface DemoAttempt {
  readonly state: string
  readonly nonce: string
  readonly code_verifier: string
}

/** The tokens of the signed-in user. */
export interface DemoTokens {
  readonly access_token: string
  readonly id_token: string
  readonly refresh_token?: string
  readonly scope: string
  readonly expires_in: number
}

/** What a demo client knows of the issuer. */
export interface DemoContext {
  readonly settings: Pick<Settings, 'issuer'>
  readonly keys: VerifyingKeys
  readonly now: () => number
}

const { client_id } = DEMO_PAGE
const SCOPE = 'openid profile email offline_access api.read'

/** Returns what to remember, and the address where the user signs in. */
export function startDemo({ issuer }: Pick<Settings, 'issuer'>): { attempt: DemoAttempt; location: string } {
  const attempt = { state: randomText(16), nonce: randomText(16), code_verifier: randomText(32) }
  const location = withQuery(pathAt({ issuer }, PATHS.authorize), {
    response_type: 'code',
    client_id,
    redirect_uri: `${issuer}${DEMO_PAGE.callback}`,
    scope: SCOPE,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: s256Challenge(attempt.code_verifier),
    code_challenge_method: 'S256',
  })
  return { attempt, location }
}

/** Redeems the code of an authorization response. Returns the tokens, or why there are none. */
export async function finishDemo(
  context: DemoContext,
  attempt: DemoAttempt | undefined,
  response: Readonly<Record<string, string>>,
  caller: DemoCaller,
): Promise<DemoTokens | DemoAnswer> {
  const { issuer } = context.settings
  // RFC 6749 §10.12, and RFC 9207 §2.4.
  if (attempt === undefined || response.state !== attempt.state)
    return refused('The state is not that of this browser.')
  if (response.iss !== issuer) return refused('The response is from another issuer.')
  if (response.code === undefined) return { status: 400, json: response }
  const answer = await caller.post(PATHS.token, {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: `${issuer}${DEMO_PAGE.callback}`,
    code: response.code,
    code_verifier: attempt.code_verifier,
  })
  if (answer.status !== 200) return answer
  const tokens = answer.json as DemoTokens
  const verified = verifyIdToken(context, tokens, client_id, ['sub', 'nonce'])
  if (!verified.ok) return refused(`The id_token is refused: ${verified.reason}.`)
  // OpenID Connect Core §3.1.3.7.
  return verified.claims.nonce === attempt.nonce
    ? tokens
    : refused('The nonce of the id_token is not that of the request.')
}

/** Verifies the id_token of a demo client as that client does. */
export function verifyIdToken(
  { settings, keys, now }: DemoContext,
  { id_token }: DemoTokens,
  client_id: string,
  required: readonly string[],
) {
  const { issuer } = settings
  return verifyJwt(keys, id_token, 'JWT', { issuer, audience: client_id, required, now: now() })
}

/** Refreshes the tokens. Returns the new ones, or why there are none. */
export async function refreshDemo(
  { refresh_token = '' }: DemoTokens,
  caller: DemoCaller,
): Promise<DemoTokens | DemoAnswer> {
  const answer = await caller.post(PATHS.token, { grant_type: 'refresh_token', client_id, refresh_token })
  return answer.status === 200 ? (answer.json as DemoTokens) : answer
}

/** Returns the address where the user signs out, and which leads back to the demo. */
export function demoSignOut({ issuer }: Pick<Settings, 'issuer'>, { id_token }: DemoTokens): string {
  return withQuery(pathAt({ issuer }, PATHS.end_session), {
    id_token_hint: id_token,
    post_logout_redirect_uri: `${issuer}${PATHS.demo}`,
  })
}

/** The answer that a demo client gives itself. */
export const refused = (description: string): DemoAnswer => ({
  status: 400,
  json: { error: 'invalid_response', error_description: description },
})
