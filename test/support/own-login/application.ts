// A service whose people sign in at the page of an application, and the backend of that application.
import type { Test } from 'tap'
import { type CONSENTS, LOGINS } from '../../../src/core/admin-scopes.ts'

import { pathOf, requestUrl } from '../scene/requests.ts'
import { type Scene, scene } from '../scene.ts'
import type { TestOptions } from '../service.ts'
import { asDeparture, type Departure, type Page, type Visitor } from '../visitor.ts'

const LOGIN_URL = 'https://shop.example.org/login?theme=dark'

/** What the backend says of alice. */
export const ALICE = { sub: 'sub-of-alice', amr: ['pwd'] }

/** Starts both. */
export async function startWithLogin(t: Test, options: TestOptions = {}) {
  const service = await scene(t, { login_url: LOGIN_URL, people: { alice: {}, bob: {} }, ...options })
  return { ...service, backend: await backendOf(service, LOGINS, ALICE) }
}

/** The backend of an application with a page for sign-ins or consents. `said`: what it accepts with. */
export async function backendOf(
  { call, tokenOf }: Pick<Scene, 'call' | 'tokenOf'>,
  scope: typeof LOGINS | typeof CONSENTS,
  said: object = {},
) {
  const token = await tokenOf(scope)
  const at = (challenge: string, end = '') =>
    `/${scope === LOGINS ? 'logins' : 'consents'}/${challenge}${end}`
  const accept = (challenge: string, body: object = said, headers = {}) =>
    call('POST', at(challenge, '/accept'), { token, body, headers })
  return {
    token,
    accept,
    read: (challenge: string) => call('GET', at(challenge), { token }),
    refuse: (challenge: string) => call('POST', at(challenge, '/refuse'), { token }),
    /** The path that the backend sends the browser back to. */
    async pathAfter(challenge: string, body: object = said): Promise<string> {
      const { json, text } = await accept(challenge, body)
      if (typeof json.redirect_to !== 'string') throw new Error(text)
      return pathOf(json.redirect_to)
    },
  }
}

/** Opens a request, which leads to the page of the application. Returns the challenge there. */
export async function leave(visitor: Visitor, overrides: Record<string, string | undefined> = {}) {
  return challengeOf(await visitor.open(requestUrl({ client_id: 'own', ...overrides })))
}

/** The challenge with which a browser arrives at a page of the application. */
export function challengeOf(found: Page | Departure, page = LOGIN_URL, name = 'login_challenge'): string {
  const { location } = asDeparture(found)
  const challenge = location.searchParams.get(name)
  location.searchParams.delete(name)
  if (challenge === null || location.href !== page) throw new Error(`not at the page: ${location}`)
  return challenge
}
