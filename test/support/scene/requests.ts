// Authorization requests, and browsers that answer what they ask.
import type { FastifyInstance } from 'fastify'
import { ASKS, PASSWORD } from '../accounts.ts'
import { optionsOn } from '../factors/passkeys/owners.ts'
import { authorizationRequest, ISSUER } from '../service.ts'
import { type Lies, SoftwarePasskey } from '../software-authenticator.ts'
import { asDeparture, asPage, type Page, Visitor } from '../visitor.ts'

type Overrides = Record<string, string | undefined>

/** The address of an authorization request by the client `shop`, with other values for some parameters. */
export const requestUrl = (overrides: Overrides = {}) =>
  `/oauth2/authorize?${new URLSearchParams(authorizationRequest({ ...ASKS, ...overrides }))}`

/** The answer to such a request is a page, so the last form leads to the next step, where the answer waits. */
export const ANSWERED_BY_PAGE = { response_mode: 'form_post' }

/** The path and the query of an address. */
export const pathOf = (address: unknown): string => {
  const { pathname, search } = new URL(String(address), ISSUER)
  return pathname + search
}

/** A browser without cookies. `replica` is asked for each request, so that it can be another one each time. */
export function visitorOf(replica: () => FastifyInstance, origin = ISSUER): Visitor {
  return new Visitor(async ({ method, url, headers, body }) => {
    const response = await replica().inject({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { payload: body }),
    })
    return { status: response.statusCode, headers: response.headers, text: response.body }
  }, origin)
}

/** Fills in the sign-in page. */
export const signInOn = (visitor: Visitor, page: Page, username = 'alice', password = PASSWORD) =>
  visitor.submit(page, { username, password })

/** Answers a page with a passkey. */
export const usePasskey = (visitor: Visitor, page: Page, passkey: SoftwarePasskey, lies?: Lies) =>
  visitor.submit(page, {
    // Where there are other ways, too, the button says which one it is.
    method: page.text.includes('name="method" value="passkey"') ? 'passkey' : undefined,
    credential: passkey.get(optionsOn(page), lies),
  })

/** Answers a page that asks for a new passkey. */
export const createPasskey = async (
  visitor: Visitor,
  page: Page,
  passkey = new SoftwarePasskey(ISSUER),
  lies: Lies = {},
  fields: Record<string, string> = {},
) => asPage(await visitor.submit(page, { ...fields, credential: passkey.create(optionsOn(page), lies) }))

/** Opens a request, signs in and gives consent. Returns the response to the client. */
export async function signInAndAgree(visitor: Visitor, overrides: Overrides = {}, username = 'alice') {
  const login = await visitor.page(requestUrl(overrides))
  const next = await signInOn(visitor, login, username)
  if ('location' in next) return next
  return asDeparture(await visitor.submit(asPage(next), { decision: 'allow' }))
}
