// What people do at their account page, and with their apps and passkeys.
import { findFactors } from '../../../src/factors/change-factors.ts'
import { checkSecondStep } from '../../../src/factors/check-second-step.ts'
import { beginTotp, confirmTotp, newRecoveryCodes } from '../../../src/factors/totp.ts'
import { readAccount } from '../../../src/users/read-account.ts'
import type { User } from '../../../src/users/user-record.ts'
import { PASSWORD } from '../accounts.ts'
import { appCode, wrongCode } from '../authenticator.ts'
import { makePasskey, optionsOn } from '../factors/passkeys/owners.ts'
import { ISSUER } from '../service.ts'
import { type Lies, SoftwarePasskey } from '../software-authenticator.ts'
import { asPage, type Page, type Visitor } from '../visitor.ts'
import { asksForCode, asksForPassword, STEP } from './pages.ts'
import { requestUrl, signInOn } from './requests.ts'
import type { Stage } from './stage.ts'

type Fields = Readonly<Record<string, string>>

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
  const arrive = async (
    browser: Visitor,
    path: string,
    { username = 'alice', code = '' as string | (() => string) } = {},
  ) => {
    let page = await browser.page(path)
    if (asksForPassword(page)) page = asPage(await signInOn(browser, page, username))
    if (code === '' || !asksForCode(page)) return page
    pass(STEP)
    return asPage(await browser.submit(page, { code: typeof code === 'string' ? code : code() }))
  }
  /** Signs in at an application that asks for no consent. */
  const signIn = async (
    username = 'alice',
    password = PASSWORD,
    url = requestUrl({ client_id: 'own' }),
    browser = visitor(),
  ) => signInOn(browser, await browser.page(url), username, password)
  /** Answers a page with a passkey. */
  const use = (browser: Visitor, page: Page, passkey: SoftwarePasskey, lies?: Lies) =>
    browser.submit(page, { method: 'passkey', credential: passkey.get(optionsOn(page), lies) })
  return {
    account,
    factors,
    arrive,
    signIn,
    use,
    /** Whether a password, or a passkey, signs in. */
    letsIn: async (proof: string | SoftwarePasskey) => {
      if (typeof proof === 'string') return 'location' in (await signIn('alice', proof))
      const browser = visitor()
      return 'location' in (await use(browser, await browser.page(requestUrl({ client_id: 'own' })), proof))
    },
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
    /** Answers a page that asks for a new passkey. */
    createOn: async (
      browser: Visitor,
      page: Page,
      {
        passkey = new SoftwarePasskey(ISSUER),
        lies = {} as Lies,
        ...fields
      }: Fields & {
        passkey?: SoftwarePasskey
        lies?: Lies
      } = {},
    ) => asPage(await browser.submit(page, { credential: passkey.create(optionsOn(page), lies), ...fields })),
    /** The first page after a right password. */
    afterPassword: (browser: Visitor, more: Record<string, string> = {}, username = 'alice') =>
      signIn(username, PASSWORD, requestUrl({ client_id: 'own', ...more }), browser),
    /** A browser that is signed in and confirmed at a page of the account. */
    async confirmed(path = '/account/password', code?: () => string, browser: Visitor = visitor()) {
      const page = await arrive(browser, path, code === undefined ? {} : { code })
      return { browser, page, csrf: page.hidden.csrf ?? '' }
    },
    /** Posts the form of an action of the account. */
    act: (browser: Visitor, name: string, fields: Fields) =>
      browser.request('POST', `/account/${name}`, new URLSearchParams(fields).toString()),
    /** Whether the page to change the password opens without a question. */
    isConfirmed: async (browser: Visitor) =>
      (await browser.page('/account/password')).title === 'Change password',
  }
}
