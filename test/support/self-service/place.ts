// A service with people, and what tells whether a step of theirs counted.
import type { Test } from 'tap'
import { FACTORS } from '../../../src/factors/factors-record.ts'

import { USER } from '../../../src/users/user-kind.ts'

import { asksForCode, asksForPassword, STEP } from '../scene/pages.ts'
import { requestUrl, signInOn } from '../scene/requests.ts'
import { scene } from '../scene.ts'
import type { TestOptions } from '../service.ts'
import type { SoftwarePasskey } from '../software-authenticator.ts'
import { asPage, type Page, type Visitor } from '../visitor.ts'
import { FLOWS, type Flow, type Who } from './flows.ts'

const PEOPLE: readonly Who[] = ['alice', 'bob']

/** The fields of a form; undefined: left out. */
export type Fields = Readonly<Record<string, string | undefined>>

/** What events say that something took effect. */
const EFFECTS =
  /"event":"(sign_in_succeeded|sessions_ended|grants_ended|client_unmuted|consent_\w+|user_\w+|password_\w+|passkey_\w+|second_step_(added|removed)|recovery_code\w+)"/

/** All that people can do is turned on. */
export const WITH_ALL: TestOptions = {
  account_deletion: 'on',
  ask_people: 'on',
  sign_up: 'open',
  smtp_url: 'smtps://localhost:1',
  mail_from: 'login@example.com',
  mail: { timing: { poll: 86_400 } },
}

/** A service with alice and bob. @param options other settings */
export async function startPlace(t: Test, options: TestOptions = {}) {
  const service = await scene(t, { ...WITH_ALL, ...options })
  const { redmint, storage, log } = service
  const apps = new Map<Who, Awaited<ReturnType<typeof service.setUp>>>()
  const passkeys = new Map<Who, SoftwarePasskey>()
  const codes = new Map<Who, string[]>()
  const effects = new Map<string, unknown>()
  for (const { name, effect } of FLOWS)
    for (const who of PEOPLE) effects.set(`${name} ${who}`, await effect(redmint, who))
  const once = async <T>(kept: Map<Who, T>, who: Who, make: () => Promise<T>): Promise<T> => {
    const value = kept.get(who) ?? (await make())
    kept.set(who, value)
    return value
  }
  /** Answers the pages of a sign-in: the password, then the code. */
  const signIn = async (browser: Visitor, who: Who, login: Page): Promise<Page> => {
    const page = asksForPassword(login) ? asPage(await signInOn(browser, login, who)) : login
    const app = apps.get(who)
    if (!asksForCode(page) || page.hidden.transaction === undefined || app === undefined) return page
    service.pass(STEP)
    return asPage(await browser.submit(page, { code: app.code() }))
  }
  return {
    ...service,
    /** The app of a person, who gets one if there is none. Each call is a time step later: each code is new. */
    async app(who: Who) {
      const app = await once(apps, who, () => service.setUp(who))
      service.pass(STEP)
      return app
    },
    /** Recovery codes of a person, who has an app. */
    async recoveryCodes(who: Who) {
      const { recovery } = await this.app(who)
      return once(codes, who, async () => [...(await recovery())])
    },
    /** The passkey of a person, who gets one if there is none. */
    passkey: (who: Who) => once(passkeys, who, () => service.makePasskey(who)),
    /** Opens the sign-in page of a request. */
    signInPage: (browser: Visitor) => browser.page(requestUrl({ client_id: 'own', prompt: 'login' })),
    signIn,
    /** Opens a page of the account, and signs in if it is asked. */
    async own(browser: Visitor, who: Who, path: string): Promise<Page> {
      const page = await browser.page(`/account${path}`)
      return page.hidden.transaction === undefined ? page : signIn(browser, who, page)
    },
    /** What the account of somebody is, without what guesses count, and what took effect for anybody. */
    async state(): Promise<string> {
      const accounts = PEOPLE.flatMap((who) => [who, `new-${who}`, `joined-${who}`]).map(async (name) => {
        const { totp = '', ...factors } = (await storage.records.read(FACTORS, name))?.hash ?? {}
        const app = totp === '' ? undefined : { ...JSON.parse(totp), failures: undefined }
        return [name, (await storage.records.read(USER, name))?.hash, app, factors]
      })
      return JSON.stringify([await Promise.all(accounts), log.filter((line) => EFFECTS.test(line)).map(said)])
    },
    /** Whether a link of a flow took effect for somebody. */
    hasEffect: async ({ name, effect }: Flow, who: Who) =>
      (await effect(redmint, who)) !== effects.get(`${name} ${who}`),
  }
}

export type Place = Awaited<ReturnType<typeof startPlace>>

const said = (line: string) => {
  const { event, username, reason } = JSON.parse(line)
  return [event, username, reason]
}
