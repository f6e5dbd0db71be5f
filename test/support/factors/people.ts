// People with authenticator apps, who sign in.
import type { Test } from 'tap'
import { checkSecondStep } from '../../../src/factors/check-second-step.ts'
import { beginTotp, confirmTotp, newRecoveryCodes } from '../../../src/factors/totp.ts'
import { appCode, wrongCode } from '../authenticator.ts'
import { requestUrl, signInOn, startWithPeople } from '../authorize/people.ts'
import { codeRequest, type TestOptions } from '../service.ts'
import { asDeparture, type Departure, type Page, type Visitor } from '../visitor.ts'

export const STEP = 30

export const asksForCode = ({ text }: Page) => text.includes('autocomplete="one-time-code"')
export const asksForPassword = ({ text }: Page) => text.includes('name="password"')
export const alertOn = ({ text }: Page) => /role="alert">([^<]*)</.exec(text)?.[1] ?? ''
/** The key that a page of the set-up shows. */
export const keyOn = ({ text }: Page) => /translate="no">([A-Z2-7 ]+)</.exec(text)?.[1] ?? ''

/** A service whose user alice has an app. */
export async function startWithApps(t: Test, options: TestOptions = {}) {
  const service = await startWithPeople(t, options)
  const { redmint } = service.fastify
  const { now } = redmint
  /** Sets up an app for a user, as the account page does. */
  const setUp = async (username = 'alice') => {
    const { begun, key } = await beginTotp(redmint, username)
    // Of the step before, so that the present code is still to come.
    const result = await confirmTotp(redmint, username, begun, appCode(key, now() - STEP * 1000))
    if (result !== 'confirmed') throw new Error(result)
    return {
      key,
      code: () => appCode(key, now()),
      wrong: () => wrongCode(key, now()),
      recovery: async () => (await newRecoveryCodes(redmint, username)) ?? [],
    }
  }
  /** The first page after a right password. */
  const afterPassword = async (visitor: Visitor, more: Record<string, string> = {}, username = 'alice') =>
    signInOn(visitor, await visitor.page(requestUrl({ client_id: 'own', ...more })), username)
  return {
    ...service,
    redmint,
    setUp,
    afterPassword,
    check: (username: string, code: string) => checkSecondStep(redmint, username, code),
    /** What the id_token says after a sign-in. */
    async claims(found: Page | Departure) {
      const code = asDeparture(found).told.get('code') ?? ''
      const { json } = await service.token(codeRequest(code, { client_id: 'own' }))
      const [, claims = ''] = String((json as { id_token?: string }).id_token).split('.')
      return JSON.parse(Buffer.from(claims, 'base64url').toString())
    },
  }
}
