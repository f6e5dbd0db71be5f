// What people do at their account page, and with their apps and passkeys.
import { type AccountNow, readAccountNow } from '../../../src/factors/account-now.ts'
import { findFactors } from '../../../src/factors/change-factors.ts'
import { checkSecondStep } from '../../../src/factors/check-second-step.ts'
import { FACTORS } from '../../../src/factors/factors-record.ts'
import { beginTotp, confirmTotp, newRecoveryCodes } from '../../../src/factors/totp.ts'
import { readAccount } from '../../../src/users/read-account.ts'
import { USER } from '../../../src/users/user-kind.ts'
import type { User } from '../../../src/users/user-record.ts'
import { PASSWORD } from '../accounts.ts'
import { appCode, wrongCode } from '../authenticator.ts'
import { makePasskey } from '../factors/passkeys/owners.ts'
import type { SoftwarePasskey } from '../software-authenticator.ts'
import { asPage, type Visitor } from '../visitor.ts'
import { asksForCode, asksForPassword, STEP } from './pages.ts'
import { requestUrl, signInOn, usePasskey } from './requests.ts'
import type { Stage } from './stage.ts'

export function accountSteps({ redmint, pass, visitor }: Stage) {
  const { now } = redmint
  /** The account of a user who is there. */
  const account = async (username = 'alice'): Promise<User> => {
    const found = await readAccount(redmint, username)
    if (found === undefined) throw new Error(`no ${username}`)
    return found
  }
  const factors = async (username = 'alice') => (await findFactors(redmint, username)).factors
  /** Opens a page, and answers what is asked: the password, then the code. */
  const arrive = async (browser: Visitor, path: string, code?: () => string, username = 'alice') => {
    let page = await browser.page(path)
    if (asksForPassword(page)) page = asPage(await signInOn(browser, page, username))
    if (code === undefined || !asksForCode(page)) return page
    pass(STEP)
    return asPage(await browser.submit(page, { code: code() }))
  }
  /** Signs in at an application that asks for no consent. */
  const signIn = async (
    username = 'alice',
    password = PASSWORD,
    url = requestUrl({ client_id: 'own' }),
    browser = visitor(),
  ) => signInOn(browser, await browser.page(url), username, password)
  /** Signs in by a passkey at an application that asks for no consent. */
  const byPasskey = async (
    passkey: SoftwarePasskey,
    browser = visitor(),
    url = requestUrl({ client_id: 'own' }),
  ) => usePasskey(browser, await browser.page(url), passkey)
  return {
    account,
    factors,
    accountNow: async (username = 'alice'): Promise<AccountNow> => {
      const found = await readAccountNow(redmint, username)
      if (found === undefined) throw new Error(`no ${username}`)
      return found
    },
    /** All that changes of an account could change. */
    stateOf: async (username = 'alice') => [
      (await redmint.storage.records.read(USER, username))?.hash,
      (await redmint.storage.records.read(FACTORS, username))?.hash,
    ],
    arrive,
    signIn,
    byPasskey,
    /** Whether a password of alice, or a passkey, signs in. */
    letsIn: async (proof: string | SoftwarePasskey) =>
      'location' in (await (typeof proof === 'string' ? signIn('alice', proof) : byPasskey(proof))),
    /** Sets up an app for a user, as the account page does. */
    async setUp(username = 'alice') {
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
    },
    check: (username: string, code: string) => checkSecondStep(redmint, username, code),
    /** A passkey of a user, as the account page makes it. */
    makePasskey: async (username = 'alice') => makePasskey(redmint, await account(username)),
    /** The ids of the passkeys of a user. */
    passkeys: async (username = 'alice') => [...(await factors(username)).passkeys.keys()],
    /** The first page after a right password. */
    afterPassword: (browser: Visitor, more: Record<string, string> = {}, username = 'alice') =>
      signIn(username, PASSWORD, requestUrl({ client_id: 'own', ...more }), browser),
    /** A browser that is signed in and confirmed at a page of the account. */
    async confirmed(path = '/account/password', code?: () => string, browser: Visitor = visitor()) {
      const page = await arrive(browser, path, code)
      return { browser, page, csrf: page.hidden.csrf ?? '' }
    },
    /** Whether the page to change the password opens without a question. */
    isConfirmed: async (browser: Visitor) =>
      (await browser.page('/account/password')).title === 'Change password',
  }
}
