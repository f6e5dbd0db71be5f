import { type CallerContext, callerOf } from '../admin/door/caller.ts'
import type { ProvingCaller } from '../clients/authentication/client-proof.ts'
import type { Settings } from '../config/settings.ts'
import { givesChange } from '../core/admin-scopes.ts'
import { parseObject } from '../core/json.ts'
import { ADMIN_PATH, PATHS } from '../core/paths.ts'
import { scopeNames } from '../core/scope.ts'
import { randomText } from '../core/token-string.ts'
import { withQuery } from '../core/uri.ts'
import { accountState } from '../factors/account-state.ts'
import { findFactors } from '../factors/change-factors.ts'
import { isStrongest, neededAcr } from '../factors/confirmation.ts'
import type { GrantContext } from '../grants/grant-handler.ts'
import { issueTokens } from '../grants/pipeline.ts'
import type { Sealer } from '../keys/sealer.ts'
import { cookieDigest, isCookieValue, newCookieValue } from '../sessions/browser.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import { s256Challenge } from '../tokens/pkce.ts'
import type { ValidationContext } from '../tokens/validation.ts'
import { CONSOLE_CLIENT, CONSOLE_SCOPE } from './client.ts'
import { callbackOf, consolePlace } from './place.ts'
import { type ConsoleSessionContext, createConsoleSession, endGrant } from './session.ts'

/** What a sign-in at the console needs. */
export type ConsoleStartContext = {
  readonly settings: Pick<Settings, 'issuer' | 'console_origin' | 'proxy_strips_path' | 'sign_in_ttl'>
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What a sign-in is for. */
export interface ConsolePurpose {
  /** Where the operator goes on: a path and query below the console. */
  readonly to: string
  /** Who has to confirm who it is, because something is to be changed; absent: nothing is. */
  readonly confirms?: string
  /** Whether the operator signs in anew, however lately that was. */
  readonly is_anew?: boolean
  /** The strengths of which the sign-in needs one; absent: any will do, until it is known whose account it is. */
  readonly acr_values?: readonly string[]
}

/** What the state of an authorization request says to the callback, sealed. */
interface Start extends ConsolePurpose {
  readonly nonce: string
  /** Of the key of the browser that started. */
  readonly digest: string
  /** Milliseconds since 1970. */
  readonly began: number
}

/** The address to sign in at, and the key that the browser keeps until it comes back. */
export interface StartedSignIn {
  readonly location: string
  readonly key: string
}

const NONCE_BYTES = 16

/**
 * Begins the sign-in of an operator. Nothing is stored: the state is sealed.
 * @param given the key that the browser has from another tab
 * @throws StorageUnavailable, as Sealer.seal
 */
export function startSignIn(
  context: ConsoleStartContext,
  purpose: ConsolePurpose,
  given: string | undefined,
): StartedSignIn {
  const { settings, sealer, now } = context
  const key = isCookieValue(given) ? given : newCookieValue()
  const nonce = randomText(NONCE_BYTES)
  const start: Start = { ...purpose, nonce, digest: cookieDigest(key), began: now() }
  const { is_anew = false, acr_values = [] } = purpose
  const location = withQuery(settings.issuer + PATHS.authorize, {
    response_type: 'code',
    client_id: CONSOLE_CLIENT,
    redirect_uri: callbackOf(consolePlace(settings)),
    scope: CONSOLE_SCOPE,
    resource: settings.issuer + ADMIN_PATH,
    state: sealer.seal('console-start', JSON.stringify(start)),
    code_challenge: s256Challenge(verifierOf(key, nonce)),
    code_challenge_method: 'S256',
    ...(is_anew && { prompt: 'login' }),
    ...(acr_values.length > 0 && { acr_values: acr_values.join(' ') }),
  })
  return { location, key }
}

// Without the cookie of the browser nobody redeems its code (RFC 7636).
const verifierOf = (key: string, nonce: string) => s256Challenge(`${key}.${nonce}`)

/** What came of a sign-in. `weak`: once more, by the strongest way of the account, or by the person who asked. */
export type ConsoleSignIn =
  | { readonly outcome: 'signed_in'; readonly cookie: string; readonly to: string }
  | ({ readonly outcome: 'weak' } & StartedSignIn)
  /** It is not of this browser, is over, or was refused. */
  | { readonly outcome: 'unusable'; readonly to: string }
  /** The account has no rights at the admin API. */
  | { readonly outcome: 'no_rights'; readonly username: string }

type FinishContext = ConsoleStartContext &
  GrantContext &
  ValidationContext &
  CallerContext &
  ConsoleSessionContext

/**
 * Ends the sign-in of an operator: only in the browser that started it, by the strongest way of the account, and only with
 * rights at the admin API.
 * @param key that of the browser
 * @param former the cookie of the session that it had, which ends
 * @throws OAuthError; StorageUnavailable
 */
export async function finishSignIn(
  context: FinishContext,
  answer: Readonly<Record<string, string | undefined>>,
  { address }: Pick<ProvingCaller, 'address'>,
  { key, former }: { readonly key: string | undefined; readonly former: string | undefined },
): Promise<ConsoleSignIn> {
  const { settings, now } = context
  const start = readStart(context, answer.state)
  const { code, iss } = answer
  // RFC 9207 §2.4.
  const is_ours = iss === settings.issuer && start !== undefined
  if (!is_ours || code === undefined || key === undefined || cookieDigest(key) !== start.digest)
    return { outcome: 'unusable', to: start?.to ?? '' }
  const { access_token: token } = await issueTokens(
    context,
    {
      grant_type: 'authorization_code',
      client_id: CONSOLE_CLIENT,
      code,
      redirect_uri: callbackOf(consolePlace(settings)),
      code_verifier: verifierOf(key, start.nonce),
    },
    ownCaller(address),
  )
  const validated = await validateAccessToken(context, token, true)
  if (!validated.valid) return { outcome: 'unusable', to: start.to }
  const operator = await callerOf(context, validated.token)
  const user = await context.accounts.find(operator.id)
  if (operator.scopes.size === 0 || user === undefined) {
    await endGrant(context, token)
    return { outcome: 'no_rights', username: operator.id }
  }
  const { factors } = await findFactors(context, user.username)
  const { acr = '', auth_time = 0 } = validated.token
  if (!isStrongest(acr, factors)) {
    await endGrant(context, token)
    if (start.acr_values !== undefined) return { outcome: 'unusable', to: start.to }
    return { outcome: 'weak', ...startSignIn(context, { ...start, acr_values: neededAcr(factors) }, key) }
  }
  const is_fresh = auth_time >= Math.floor(start.began / 1000)
  // A right to change what is of others is given only to a sign-in of the last minutes by the strongest way of the account
  // as it is, at whatever application that was (src/interaction/recent-proof.ts).
  const is_proven = is_fresh || givesChange(scopeNames(validated.token.scope))
  const is_who_asked = start.confirms === undefined || start.confirms === operator.id
  // Another one may be signed in there by now, and signs in here only by hand.
  if (!is_fresh && start.confirms !== undefined && !(is_proven && is_who_asked)) {
    await endGrant(context, token)
    return { outcome: 'weak', ...startSignIn(context, { ...start, is_anew: true }, key) }
  }
  const confirmed = is_proven ? { at: auth_time * 1000, state: accountState(user, factors) } : undefined
  const cookie = await createConsoleSession(context, { token, started_at: now(), confirmed }, former)
  return { outcome: 'signed_in', cookie, to: start.to }
}

/** The console asks in this process, as a public client: nothing of the request of the browser counts for it. */
const ownCaller = (address: ProvingCaller['address']): ProvingCaller => ({
  basic: undefined,
  certificate: () => ({ ok: false, reason: 'the console has none' }),
  endpoint: '',
  proofs: [],
  address,
  // There is no secret that could be wrong.
  countFailure: async () => ({ remaining: 1, is_exceeded: false, ttl: 0 }),
  offerNonce() {},
})

function readStart({ sealer, settings, now }: ConsoleStartContext, state = ''): Start | undefined {
  const opened = sealer.open('console-start', state)
  if (opened === undefined) return undefined
  const start = parseObject(opened) as unknown as Start
  return now() <= start.began + settings.sign_in_ttl * 1000 ? start : undefined
}
