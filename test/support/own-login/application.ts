// A service whose people sign in at the page of an application, and the backend of that application.
import type { Test } from 'tap'
import { LOGINS } from '../../../src/core/admin-scopes.ts'
import { indexUser } from '../../../src/users/sign-in-names.ts'
import { adminCalls } from '../admin.ts'

import { requestUrl } from '../scene/requests.ts'
import { scene } from '../scene.ts'
import type { TestOptions } from '../service.ts'
import { asDeparture, type Departure, type Page, type Visitor } from '../visitor.ts'

const LOGIN_URL = 'https://shop.example.org/login?theme=dark'

/** What the backend says of alice. */
export const ALICE = { sub: 'sub-of-alice', amr: ['pwd'] }

/** Starts both; `token` is that of the backend. */
export async function startWithLogin(t: Test, options: TestOptions = {}) {
  const service = await scene(t, { login_url: LOGIN_URL, ...options })
  const calls = adminCalls(service)
  await Promise.all(['alice', 'bob'].map((username) => indexUser(service.storage, username)))
  const token = await calls.tokenOf(LOGINS)
  const at = (challenge: string) => `/logins/${challenge}`
  return {
    ...service,
    ...calls,
    backend: {
      token,
      read: (challenge: string) => calls.call('GET', at(challenge), { token }),
      accept: (challenge: string, body: object = ALICE, headers = {}) =>
        calls.call('POST', `${at(challenge)}/accept`, { token, body, headers }),
      refuse: (challenge: string) => calls.call('POST', `${at(challenge)}/refuse`, { token }),
      /** The path that the backend sends the browser back to. */
      async pathAfter(challenge: string, body: object = ALICE): Promise<string> {
        const { json, text } = await calls.call('POST', `${at(challenge)}/accept`, { token, body })
        if (typeof json.redirect_to !== 'string') throw new Error(text)
        return pathOf(json.redirect_to)
      },
    },
  }
}

/** The path and the query of an address. */
export const pathOf = (address: unknown): string => {
  const { pathname, search } = new URL(String(address))
  return pathname + search
}

/** Opens a request, which leads to the page of the application. Returns the challenge there. */
export async function leave(visitor: Visitor, overrides: Record<string, string | undefined> = {}) {
  return challengeOf(await visitor.open(requestUrl({ client_id: 'own', ...overrides })))
}

/** The challenge with which a browser arrives at the page of the application. */
export function challengeOf(found: Page | Departure): string {
  const { location } = asDeparture(found)
  const challenge = location.searchParams.get('login_challenge')
  location.searchParams.delete('login_challenge')
  if (challenge === null || location.href !== LOGIN_URL) throw new Error(`not at the page: ${location}`)
  return challenge
}
