// Strangers behind the same proxy, each with an address and a browser: what they send again and again, and what they lost.
import type { InjectOptions } from 'fastify'
import { PATHS } from '../../../src/core/paths.ts'
import { ASKS } from '../accounts.ts'
import { optionsOn } from '../factors/passkeys/owners.ts'
import { asksForCode } from '../scene/pages.ts'
import { requestUrl, signInOn } from '../scene/requests.ts'
import { authorizationRequest, basic, bearer, ISSUER } from '../service.ts'
import { SoftwarePasskey } from '../software-authenticator.ts'
import type { Visitor } from '../visitor.ts'
import { type City, KNOWN_NAMES } from './city.ts'
import { floodOf, get, type Opened, post, text } from './flood.ts'

export const STRANGERS = 64
/** So many of them are in one IPv6 network of 48 bits. */
const OF_ONE_SITE = 24
/** So many guess at the names of people, few enough for each of these to be free in new browsers. */
const WHO_GUESS_AT_PEOPLE = 8

const addressOf = (index: number) =>
  index < OF_ONE_SITE ? `2001:db8:5:${index.toString(16)}::1` : `203.0.113.${index}`

const SIGN_IN = requestUrl({ client_id: 'own' })
/** Of the right form. */
const RECOVERY_CODE = 'AAAAAA-BBBBBB-CCCCCC-DDDDDD'

const cookieOf = (browser: Visitor) => browser.cookiesFor(PATHS.interaction)

/** A browser of a stranger, with a page whose form it sends again and again. */
async function openPage(browser: Visitor, url: string): Promise<Opened> {
  const { hidden: fields } = await browser.page(url)
  return { cookie: cookieOf(browser), fields }
}

/** What somebody does who knows names, clients and ways of this server, by what it is. */
function attacksOf(index: number, { cookie, fields }: Opened, browser: Visitor) {
  const guess = (username: string) =>
    post(PATHS.interaction, { ...fields, username, password: text(12) }, { cookie })
  const guesses_at_people = index % (STRANGERS / WHO_GUESS_AT_PEOPLE) === 0
  return {
    'passwords at known and made-up names': async () => [
      guess(KNOWN_NAMES.guessed),
      guess(text(10)),
      ...(guesses_at_people ? [guess(KNOWN_NAMES.password), guess(KNOWN_NAMES.app)] : []),
    ],
    'codes of an ordinary account': async () => {
      const page = await signInOn(browser, await browser.page(SIGN_IN), KNOWN_NAMES.thug)
      if ('location' in page || !asksForCode(page)) return []
      for (const code of [RECOVERY_CODE, '000000']) await browser.submit(page, { code })
      return []
    },
    'passkeys of nobody': async () => {
      const page = await browser.page(SIGN_IN)
      const credential = new SoftwarePasskey(ISSUER).get(optionsOn(page))
      await browser.submit(page, { method: 'passkey', credential })
      return []
    },
    'made-up codes of a provider': async () => {
      const page = await browser.page(SIGN_IN)
      const departure = await browser.submit(page, { method: 'provider:acme' })
      if (!('location' in departure)) return []
      const { location } = departure
      const state = location.searchParams.get('state') ?? ''
      return [1, 2].map(() =>
        get('/sign-in/acme/callback', { state, code: text(20) }, { cookie: cookieOf(browser) }),
      )
    },
    mails: async () => [
      post(PATHS.forgot_password, { username: KNOWN_NAMES.guessed }),
      post(PATHS.forgot_password, { username: text(10) }),
      post(PATHS.sign_up, { email: `${text(10)}@example.net` }),
    ],
    'secrets of clients': async () =>
      ['web', text(10)].map((id) =>
        post(PATHS.token, { grant_type: 'client_credentials' }, basic(id, text(20))),
      ),
    'requests of devices and pushed ones': async () => [
      post(PATHS.device_authorization, { client_id: 'tv' }),
      post(PATHS.par, { ...authorizationRequest(ASKS), client_id: 'shop' }),
    ],
    'tokens of nobody': async () => [
      ...['/userinfo', '/api/resource', '/admin/v1/clients'].map((path) => get(path, {}, bearer(text(43)))),
      get('/admin/v1/users'),
    ],
  } satisfies Record<string, () => Promise<InjectOptions[]>>
}

/** A stranger: each call sends a few requests. It likes one attack best, and does all others and what is made up, too. */
export async function strangerIn(city: City, index: number): Promise<() => Promise<readonly number[]>> {
  const address = addressOf(index)
  const browser = city.browserAt(address)
  const page = await openPage(browser, SIGN_IN)
  const device = await openPage(browser, `${PATHS.device}?user_code=BCDF-GHJK`)
  const attacks = Object.values(attacksOf(index, page, browser))
  const favourite = attacks[index % attacks.length]
  const anything: InjectOptions[] = []
  let turn = index
  return async () => {
    turn += 1
    const attack = turn % 3 === 0 ? attacks[Math.floor(turn / 3) % attacks.length] : favourite
    // Another part of what can be made up by each of them, so that all of it is sent soon.
    if (anything.length === 0)
      anything.push(
        ...floodOf(page, device)
          .slice((turn * 8) % 64)
          .slice(0, 16),
      )
    const requests = [...((await attack?.()) ?? []), ...anything.splice(0, 1)]
    const statuses: number[] = []
    for (const request of requests) {
      const headers = { ...request.headers, 'x-forwarded-for': address }
      statuses.push((await city.next().inject({ ...request, headers })).statusCode)
    }
    return statuses
  }
}
