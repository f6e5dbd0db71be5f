import { Type } from '@sinclair/typebox'
import { ownCookie } from '../../plugins/own-cookie.ts'
import { commit } from '../../src/core/commit.ts'
import { knownTo, rememberBrowser } from '../../src/interaction/known-browsers.ts'
import { password } from '../../src/interaction/password-method.ts'
import { SEALED_FOR } from '../../src/keys/timing.ts'
import { identityAfterSignIn, sealBrowser } from '../../src/sessions/browser.ts'
import { startSession } from '../../src/sessions/session.ts'
import type { User } from '../../src/users/user-record.ts'
import type { DevParts } from '../parts.ts'
import { userNamed } from './named.ts'
import { devOperation } from './operation.ts'

/** A cookie as Playwright takes it. */
export interface BrowserCookie {
  readonly name: string
  readonly value: string
  readonly domain: string
  readonly path: string
  readonly httpOnly: boolean
  readonly secure: boolean
  readonly sameSite: 'Lax'
  /** Seconds since 1970; -1: when the browser is closed. */
  readonly expires: number
}

/** How somebody signs in. */
export interface SignInWay {
  readonly acr?: string
  /** Separated by spaces. */
  readonly amr?: string
  /** Seconds since 1970. */
  readonly auth_time?: number
}

/** What says how somebody signs in. */
export const SIGN_IN_WAY = {
  acr: Type.Optional(Type.String({ minLength: 1, description: 'authentication context; by default `1`' })),
  amr: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'authentication methods, separated by spaces; by default `pwd`',
    }),
  ),
  auth_time: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: 'when the person signed in, in seconds since 1970; by default now',
    }),
  ),
}

// That of a browser on this machine.
const ADDRESS = '127.0.0.1'

/** Starts a session of a person. @returns the value of its cookie @throws StorageUnavailable */
export async function startSessionOf(
  { fastify }: DevParts,
  user: User,
  { acr = '1', amr = 'pwd', auth_time }: SignInWay = {},
): Promise<string> {
  const context = fastify.redmint
  const { username, sub } = user
  const judged_since = context.now()
  const event = { event: 'sign_in_succeeded', username, sub, amr, method: password.name } as const
  const proven = { username, sub, judged_since, amr, acr, address: ADDRESS, ...(auth_time && { auth_time }) }
  const { cookie } = await commit(context, [event], {}, (told) => startSession(context, {}, proven, told))
  return cookie
}

/** Signs a person in without pages. */
export const SIGN_IN = devOperation({
  summary: 'Signs a person in without pages: the cookies of the session, as Playwright takes them',
  method: 'POST',
  path: '/sign-in',
  call: 'signIn(user, { acr, … })',
  input: Type.Object(
    { user: Type.String({ description: 'username' }), ...SIGN_IN_WAY },
    { additionalProperties: false },
  ),
  async run(parts, { user: username, ...way }): Promise<BrowserCookie[]> {
    const context = parts.fastify.redmint
    const user = await userNamed(parts, username)
    const session = await startSessionOf(parts, user, way)
    const identity = { ...identityAfterSignIn({}), known_to: knownTo(user) }
    await rememberBrowser(context, user, { browser_id: identity.device })
    const { session_persistent, session_ttl } = context.settings
    return [
      cookieOf(parts, 'browser', sealBrowser(context.sealer, identity), SEALED_FOR),
      cookieOf(parts, 'session', session, session_persistent === true ? session_ttl : undefined),
    ]
  },
})

/** @param lasts in seconds; undefined: until the browser is closed */
function cookieOf({ fastify, issuer }: DevParts, what: string, value: string, lasts: number | undefined) {
  const { name, options } = ownCookie(fastify.redmint.settings, what)
  return {
    name,
    value,
    domain: new URL(issuer).hostname,
    path: options.path ?? '/',
    httpOnly: options.httpOnly === true,
    secure: options.secure === true,
    sameSite: 'Lax' as const,
    // Browsers do not follow the clock of the server.
    expires: lasts === undefined ? -1 : Math.floor(Date.now() / 1000) + lasts,
  }
}
