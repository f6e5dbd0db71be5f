import type { ProvingCaller } from '../clients/authentication/client-proof.ts'
import { callbackOf } from '../clients/record/forward-auth-fields.ts'
import type { Settings } from '../config/settings.ts'
import { invalidRequest } from '../core/errors.ts'
import { parseObject } from '../core/json.ts'
import { PATHS } from '../core/paths.ts'
import { randomText } from '../core/token-string.ts'
import { withQuery } from '../core/uri.ts'
import type { GrantContext } from '../grants/grant-handler.ts'
import { issueTokens } from '../grants/pipeline.ts'
import type { Sealer } from '../keys/sealer.ts'
import { s256Challenge } from '../tokens/pkce.ts'
import { type ApplicationContext, type ForwardedApplication, findApplication } from './forwarded.ts'
import { digestOf, MAX_IN_STATE, packTarget, unpackTarget } from './long-target.ts'

/** What a sign-in at an application needs. */
export type StartContext = {
  readonly settings: Pick<Settings, 'issuer' | 'sign_in_ttl'>
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The scopes of what applications are told. */
const SCOPES = ['openid', 'profile', 'email', 'groups']
const KEY = /^[A-Za-z0-9_-]{43}$/
const KEY_BYTES = 32
const NONCE_BYTES = 16

/** What the state of an authorization request says to the callback, sealed. */
interface Start {
  readonly host: string
  /** Where to come back to, or the digest of that if the browser keeps it. */
  readonly to?: string
  readonly to_digest?: string
  readonly nonce: string
  /** Of the key of the browser that started. */
  readonly digest: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/** The address to sign in at, and what the browser keeps until it comes back: a key, and a target that is long. */
export interface StartedVisit {
  readonly location: string
  readonly key: string
  readonly target: readonly string[]
}

/** What a browser kept since the start. */
export interface KeptStart {
  readonly key: string | undefined
  readonly target: readonly string[]
}

/**
 * Begins the sign-in of a browser at an application. Nothing is stored: the state is sealed.
 * @param given the key that the browser has from another tab
 * @throws StorageUnavailable, as Sealer.seal
 */
export function startSignIn(
  { settings, sealer, now }: StartContext,
  { host, origin, client }: ForwardedApplication,
  to: string,
  given: string | undefined,
): StartedVisit {
  const key = given !== undefined && KEY.test(given) ? given : randomText(KEY_BYTES)
  const nonce = randomText(NONCE_BYTES)
  const until = now() + settings.sign_in_ttl * 1000
  const is_long = to.length > MAX_IN_STATE
  const where = is_long ? { to_digest: digestOf(to) } : { to }
  const start: Start = { host, ...where, nonce, digest: s256Challenge(key), until }
  const location = withQuery(settings.issuer + PATHS.authorize, {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: callbackOf(origin),
    scope: SCOPES.filter((name) => client.allowed_scopes.includes(name)).join(' '),
    state: sealer.seal('forward-start', JSON.stringify(start)),
    code_challenge: s256Challenge(verifierOf(key, nonce)),
    code_challenge_method: 'S256',
  })
  return { location, key, target: is_long ? packTarget(to) : [] }
}

// Without the cookie of the browser nobody redeems its code (RFC 7636).
const verifierOf = (key: string, nonce: string) => s256Challenge(`${key}.${nonce}`)

/** A browser that signed in at an application. */
export interface Finished {
  readonly application: ForwardedApplication
  readonly location: string
  /** What the browser keeps. */
  readonly kept: string
  readonly seconds: number
}

/**
 * Ends the sign-in of a browser at an application: only in the browser that started it, so that nobody is signed in as
 * somebody else.
 * @param keptAt reads what the browser kept at an application
 * @throws OAuthError; StorageUnavailable
 */
export async function finishSignIn(
  context: StartContext & ApplicationContext & GrantContext,
  answer: Readonly<Record<string, string | undefined>>,
  caller: ProvingCaller,
  keptAt: (application: ForwardedApplication) => KeptStart,
): Promise<Finished> {
  const start = readStart(context, answer.state)
  const application = start && (await findApplication(context, start.host))
  const { key, target = [] } = (application && keptAt(application)) ?? {}
  if (application === undefined || key === undefined || s256Challenge(key) !== start?.digest)
    throw unusable(
      start === undefined ? 'state is none, or over' : 'the cookie of the start is missing or another one',
    )
  const { code } = answer
  if (code === undefined) throw unusable('no code: the sign-in was refused')
  const { client, origin, host } = application
  const { access_token, expires_in } = await issueTokens(
    context,
    {
      grant_type: 'authorization_code',
      client_id: client.client_id,
      code,
      redirect_uri: callbackOf(origin),
      code_verifier: verifierOf(key, start.nonce),
    },
    caller,
  )
  const kept = context.sealer.seal('forward', JSON.stringify({ host, token: access_token }))
  // Another tab may have started since.
  const { to = unpackTarget(target, start.to_digest ?? '') ?? '/' } = start
  return { application, location: origin + to, kept, seconds: expires_in }
}

function readStart({ sealer, now }: StartContext, state = ''): Start | undefined {
  const opened = sealer.open('forward-start', state)
  if (opened === undefined) return undefined
  const start = parseObject(opened) as unknown as Start
  return now() <= start.until ? start : undefined
}

const unusable = (fault: string) =>
  invalidRequest(
    'forward_auth_answer',
    'This sign-in was not started in this browser, is over, or was refused. Open the application again.',
    { received: { fault } },
  )
