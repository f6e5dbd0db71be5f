// A service with accounts and relying parties, and browsers that visit it.
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { ASKS, CHEAP, PASSWORD, storeRelyingParties, storeUsers } from '../accounts.ts'
import type { TestOptions } from '../service.ts'
import { authorizationRequest, ISSUER, startService } from '../service.ts'
import { asDeparture, asPage, type Page, Visitor } from '../visitor.ts'

type Overrides = Record<string, string | undefined>

/** The address of an authorization request by the client `shop`, with other values for some parameters. */
export const requestUrl = (overrides: Overrides = {}) =>
  `/oauth2/authorize?${new URLSearchParams(authorizationRequest({ ...ASKS, ...overrides }))}`

/** A service with users. `pass` moves its clock forward by seconds. */
export async function startWithPeople(t: Test, options: TestOptions = {}) {
  let ahead = 0
  const now = () => Date.now() + ahead
  const service = await startService(t, {
    ...CHEAP,
    demo: false,
    now,
    storage: new MemoryStorage({ now }),
    ...options,
  })
  await storeUsers(service.storage)
  await storeRelyingParties(service.storage)
  return {
    ...service,
    pass: (seconds: number) => {
      ahead += seconds * 1000
    },
    visitor: () => visitorOf(() => service.fastify),
  }
}

/** A browser without cookies. `replica` is asked for each request, so that it can be another one each time. */
export function visitorOf(replica: () => FastifyInstance): Visitor {
  return new Visitor(async ({ method, url, headers, body }) => {
    const response = await replica().inject({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: response.statusCode, headers: response.headers, text: response.body }
  }, ISSUER)
}

/** Fills in the sign-in page. */
export const signInOn = (visitor: Visitor, page: Page, username = 'alice', password = PASSWORD) =>
  visitor.submit(page, { username, password })

/** Opens a request, signs in and gives consent. Returns the response to the client. */
export async function signInAndAgree(visitor: Visitor, overrides: Overrides = {}, username = 'alice') {
  const login = await visitor.page(requestUrl(overrides))
  const next = await signInOn(visitor, login, username)
  if ('location' in next) return next
  return asDeparture(await visitor.submit(asPage(next), { decision: 'allow' }))
}
