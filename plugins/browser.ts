import type { FastifyReply, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Sealer } from '../src/keys/sealer.ts'
import { SEALED_FOR } from '../src/keys/timing.ts'
import {
  type Browser,
  type BrowserIdentity,
  isCookieValue,
  type NewCookies,
  openBrowser,
  sealBrowser,
} from '../src/sessions/browser.ts'
import { ownCookie, readCookies } from './own-cookie.ts'

/** Returns the browser of a request. @throws FastifyError unless this plugin is registered for its route */
export function browserOf(request: FastifyRequest): Browser {
  return request.getDecorator<Browser>('browser')
}

/** Sets the cookies of a browser. @throws FastifyError unless this plugin is registered for the route */
export function keepBrowser(reply: FastifyReply, cookies: NewCookies): FastifyReply {
  return reply.getDecorator<(cookies: NewCookies) => FastifyReply>('keepBrowser')(cookies)
}

// The identity is opened on demand: an answer to a user who is signed in already does not need it.
class RequestBrowser implements Browser {
  readonly session: string | undefined
  readonly remembered: string | undefined
  readonly saw_aside: boolean
  readonly #sealer: Pick<Sealer, 'open'>
  readonly #sealed: string | undefined
  #opened: { readonly identity: BrowserIdentity | undefined } | undefined

  constructor(
    sealer: Pick<Sealer, 'open'>,
    sealed: string | undefined,
    { session, remembered, saw_aside = false }: Pick<Browser, 'session' | 'remembered' | 'saw_aside'>,
  ) {
    this.session = session
    this.remembered = remembered
    this.saw_aside = saw_aside
    this.#sealer = sealer
    this.#sealed = sealed
  }

  get identity(): BrowserIdentity | undefined {
    this.#opened ??= { identity: openBrowser(this.#sealer, this.#sealed) }
    return this.#opened.identity
  }
}

/** The cookies of a browser: its identity, its session, and what a sign-in method had it remember. */
export default fp(
  async (fastify) => {
    const { settings, sealer } = fastify.redmint
    const { session_persistent, session_ttl } = settings
    const identities = ownCookie(settings, 'browser')
    const sessions = ownCookie(settings, 'session')
    const remembered = ownCookie(settings, 'remembered')
    const asides = ownCookie(settings, 'invited')
    // RFC 6265 §5.3: without Max-Age it ends with the browser. Both are set where the session starts.
    const isKept = ({ stays = false }: NewCookies) =>
      session_persistent === 'choice' ? stays : session_persistent
    await readCookies(fastify)

    fastify.decorateRequest('browser', {
      getter(this: FastifyRequest): Browser {
        const session = sessions.read(this)
        return new RequestBrowser(sealer, identities.read(this), {
          session: isCookieValue(session) ? session : undefined,
          remembered: remembered.read(this),
          saw_aside: asides.read(this) !== undefined,
        })
      },
    })
    fastify.decorateReply('keepBrowser', function (this: FastifyReply, cookies: NewCookies) {
      const { browser: identity, session, remembered: kept_for_method } = cookies
      if (identity !== undefined) {
        const sealed = sealBrowser(sealer, identity)
        this.setCookie(identities.name, sealed, { ...identities.options, maxAge: SEALED_FOR })
      }
      if (session !== undefined) {
        const kept = isKept(cookies) ? { maxAge: session_ttl } : {}
        this.setCookie(sessions.name, session, { ...sessions.options, ...kept })
      } else if ('session' in cookies) this.clearCookie(sessions.name, sessions.options)
      if (kept_for_method !== undefined) {
        const { sealed, seconds } = kept_for_method
        this.setCookie(remembered.name, sealed, { ...remembered.options, maxAge: seconds })
      }
      if (cookies.saw_aside !== undefined) {
        this.setCookie(asides.name, '1', { ...asides.options, maxAge: cookies.saw_aside.seconds })
      }
      return this
    })
  },
  { name: 'redmint-browser', dependencies: ['redmint-context'] },
)
