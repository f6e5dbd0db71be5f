// The application of which `client add --for express` printed the settings: what openid-client makes of them.
import * as client from 'openid-client'
import { newRequest } from '../openid-client.ts'
import { pathOf } from '../scene/requests.ts'
import { asDeparture, asPage, type Visitor } from '../visitor.ts'

/** Somebody with a browser. */
export interface Person {
  readonly browser: Visitor
  readonly username: string
  readonly password: string
}

/** Returns the value of a setting that the command printed. */
export const settingIn = (printed: string, name: string): string =>
  new RegExp(`^ *${name}="([^"]*)"`, 'm').exec(printed)?.[1] ?? ''

/**
 * Signs somebody in at the application, by the pages that they are shown.
 * @param issuer on loopback
 * @param printed by the command
 * @returns the claims of the id_token, and whether a password was asked for
 */
export async function signInAtShop(issuer: string, printed: string, { browser, ...credentials }: Person) {
  const shop = await client.discovery(
    new URL(issuer),
    settingIn(printed, 'CLIENT_ID'),
    settingIn(printed, 'CLIENT_SECRET'),
    undefined,
    { execute: [client.allowInsecureRequests] },
  )
  const redirect_uri = `${settingIn(printed, 'BASE_URL')}/callback`
  const { checks, parameters } = await newRequest(redirect_uri, 'openid profile email')
  let answer = await browser.open(pathOf(client.buildAuthorizationUrl(shop, parameters)))
  const asks_password = !('location' in answer) && answer.text.includes('name="password"')
  if (asks_password) answer = await browser.submit(asPage(answer), credentials)
  if (!('location' in answer)) answer = await browser.submit(asPage(answer), { decision: 'allow' })
  const tokens = await client.authorizationCodeGrant(shop, asDeparture(answer).location, checks)
  return { claims: tokens.claims(), asks_password }
}
