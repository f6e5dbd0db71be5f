import { COMMAND_CLIENT } from '../../src/admin/command-client.ts'
import { DEVICE_CODE } from '../../src/clients/record/grant-types.ts'
import { isAdminScope } from '../../src/core/admin-scopes.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { Refusal, ServerFailure } from '../errors.ts'
import type { Credentials } from './credentials.ts'
import type { Places } from './places.ts'
import { postForm, type Tokens, tokensOf } from './token-request.ts'

// RFC 8628 §3.2 and §3.5; seconds.
const DEFAULT_INTERVAL = 5
const SLOWER = 5

/** What a sign-in needs of the process. */
export interface LoginContext {
  /** Shows a sentence to the person. */
  say(text: string): Promise<void>
  /** Waits for so many seconds. */
  wait(seconds: number): Promise<void>
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * Signs a person in at a server by the device grant (RFC 8628): the person opens a page in any browser.
 * @param scopes what to ask for; empty: all that the API knows, of which the person gets what he may have
 * @throws Refusal if the sign-in is refused or not made in time, or the person has no rights; Error with the address that
 * does not answer
 */
export async function login(
  terminal: LoginContext,
  places: Places,
  scopes: readonly string[],
): Promise<Credentials> {
  const {
    device_authorization_endpoint,
    token_endpoint,
    revocation_endpoint,
    resource,
    scopes: known,
  } = places
  const client_id = COMMAND_CLIENT
  const scope = (scopes.length > 0 ? scopes : known).join(' ')
  const { status, body } = await postForm(device_authorization_endpoint, { client_id, scope, resource })
  const { device_code, user_code, verification_uri, verification_uri_complete, interval, expires_in } = body
  if (status !== 200 || typeof device_code !== 'string' || typeof verification_uri !== 'string') {
    throw new Refusal(`The server refused the sign-in: ${reasonOf(body)}.`)
  }
  const page = typeof verification_uri_complete === 'string' ? verification_uri_complete : verification_uri
  await terminal.say(`Open ${page}\nand check that it shows the code ${user_code}.`)
  const ends = terminal.now() + Number(expires_in) * 1000
  let pause = typeof interval === 'number' ? interval : DEFAULT_INTERVAL
  while (terminal.now() < ends) {
    await terminal.wait(pause)
    const grant_type = DEVICE_CODE
    const polled = await postForm(token_endpoint, { grant_type, client_id, device_code, resource })
    const tokens = tokensOf(polled, terminal.now())
    if (tokens !== undefined) {
      const credentials = { client_id, token_endpoint, revocation_endpoint, resource, ...tokens }
      if (givesRights(polled.body)) return credentials
      await revokeCredentials(credentials)
      throw new Refusal(
        'You have no right at this API, or none of those that --scope asks for: an administrator gives them by redmint admin grant.',
      )
    }
    if (polled.body.error === 'slow_down') pause += SLOWER
    else if (polled.body.error !== 'authorization_pending') {
      throw new Refusal(`There is no sign-in: ${reasonOf(polled.body)}.`)
    }
  }
  throw new Refusal('Nobody signed in in time: repeat the command.')
}

/** Revokes the tokens of credentials (RFC 7009). @throws Error with the address that does not answer */
export async function revokeCredentials(credentials: Credentials): Promise<void> {
  const { client_id, revocation_endpoint, refresh_token, access_token } = credentials
  // A refresh token ends the whole sign-in.
  await postForm(revocation_endpoint, { client_id, token: refresh_token ?? access_token })
}

/**
 * Returns the tokens of credentials, renewed by their refresh token; undefined if they are over.
 * @throws ServerFailure, or Error with the address, if the server does not answer
 */
export async function renewed(
  { client_id, token_endpoint, resource, refresh_token }: Credentials,
  now: () => number,
): Promise<Tokens | undefined> {
  if (refresh_token === undefined) return undefined
  const form = { grant_type: 'refresh_token', client_id, refresh_token, resource }
  const answer = await postForm(token_endpoint, form)
  // Without storage a server cannot say whether they are over.
  if (answer.status >= 500) throw new ServerFailure(`${token_endpoint} answers ${answer.status}: try again.`)
  return tokensOf(answer, now())
}

// RFC 6749 §5.1: without the member, the scope is the one that was asked for.
function givesRights({ scope }: Readonly<Record<string, unknown>>): boolean {
  return typeof scope !== 'string' || scopeNames(scope).some(isAdminScope)
}

function reasonOf({ error, error_description }: Readonly<Record<string, unknown>>): string {
  return String(error_description ?? error ?? 'it gave no reason')
}
