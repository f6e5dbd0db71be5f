// Every step of every flow in which people prove who they are, or change their account: one row for each. The matrix posts
// each of them in every wrong way.

import type { AdminCaller } from '../../../src/admin/operation/operation.ts'
import { actAs } from '../../../src/admin/users/act-as.ts'
import { keepSubscription, subscriptionsOf } from '../../../src/asks/push/subscriptions.ts'
import { PATHS } from '../../../src/core/paths.ts'
import { findFactors } from '../../../src/factors/change-factors.ts'
import { removeTotp } from '../../../src/factors/totp.ts'
import { RESOURCE } from '../../../src/resources/resource-record.ts'
import { ACTIONS } from '../../../src/self-service/actions.ts'
import { giveInvitation } from '../../../src/self-service/invitation.ts'
import { giveResetLink } from '../../../src/self-service/reset-password.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { PASSWORD } from '../accounts.ts'
import { appCode } from '../authenticator.ts'
import { optionsOn } from '../factors/passkeys/owners.ts'
import { changeUser } from '../records.ts'
import { asksForPassword, keyOn } from '../scene/pages.ts'
import { requestUrl, signInOn } from '../scene/requests.ts'
import { ISSUER, type TestOptions } from '../service.ts'
import { SoftwarePasskey } from '../software-authenticator.ts'
import { asPage, type Page, type Visitor } from '../visitor.ts'
import { FLOWS, type Flow, type Who } from './flows.ts'
import type { Fields, Place } from './place.ts'

/** What a step takes as its proof. */
type Proof =
  | 'password'
  | 'code'
  | 'recovery code'
  | 'passkey'
  | 'new passkey'
  | 'new app'
  | 'confirmation'
  | 'session'

export interface Step {
  readonly name: string
  /** The settings that it needs besides those of all. */
  readonly place?: TestOptions
  readonly path: string
  readonly proof: Proof | `link of ${string}`
  /** Another proof that it takes in place of its own. */
  readonly takes?: Proof
  /** Steps with the same form, of which the fields say which one is meant. */
  readonly form: string
  /** Brings a browser to the page of the step. */
  arrive(place: Place, browser: Visitor, who: Who): Promise<Page>
  /** What the form sends, besides its hidden fields, so that it counts. */
  answer(place: Place, who: Who, page: Page): Promise<Readonly<Record<string, string>>>
  /** The hidden fields of this form; absent: all of the page. */
  readonly hidden?: readonly string[]
  /** How often it counted. */
  counted(place: Place, who: Who, browser: Visitor): Promise<number>
  /** Its answer counts as often as it is given: it is no proof that is used up. */
  readonly repeats?: true
  /** The fields of the answer that prove something: the others say what is wanted. Absent: session or link is the proof. */
  readonly proves?: readonly string[]
  /** The fields that say something by being empty. */
  readonly may_be_empty?: readonly string[]
  /** The answer itself says of whom it is, so that on the page of another it counts for its own account. */
  readonly names_account?: true
}

const NEW = 'seven wet umbrellas at noon'

const once = (event: string): Step['counted'] => {
  return async (place, who) => place.happened(event, who)
}

const INTERACTION = { path: PATHS.interaction } as const

/** What a new passkey answers to a page; empty: it asks for none. */
function newPasskey(page: Page): string {
  const options = page.text.includes('data-passkey-use="create"') && optionsOn(page)
  return options ? new SoftwarePasskey(ISSUER).create(options) : ''
}

/** The sign-in page after the password of somebody with an app. */
async function atCode(place: Place, browser: Visitor, who: Who): Promise<Page> {
  await place.app(who)
  return asPage(await signInOn(browser, await place.signInPage(browser), who))
}

/** The set-up in the sign-in of somebody who must have a second step. */
async function atSetUp(place: Place, browser: Visitor, who: Who): Promise<Page> {
  await removeTotp(place.redmint, who)
  await changeUser(place.storage, who, { set: { second_factor: 'required' } })
  return asPage(await signInOn(browser, await place.signInPage(browser), who))
}

const codeFor = async (place: Place, page: Page) => ({ code: appCode(keyOn(page), place.redmint.now()) })

const SIGN_IN: readonly Step[] = [
  {
    ...INTERACTION,
    name: 'sign-in: password',
    proof: 'password',
    proves: ['password'],
    form: 'sign-in',
    arrive: (place, browser) => place.signInPage(browser),
    answer: async (_, username) => ({ username, password: PASSWORD }),
    counted: once('sign_in_succeeded'),
    repeats: true,
    names_account: true,
  },
  {
    ...INTERACTION,
    name: 'sign-in: passkey',
    proof: 'passkey',
    proves: ['method', 'credential'],
    form: 'sign-in',
    async arrive(place, browser, who) {
      await place.passkey(who)
      return place.signInPage(browser)
    },
    answer: async (place, who, page) => ({
      method: 'passkey',
      credential: (await place.passkey(who)).get(optionsOn(page)),
    }),
    counted: once('sign_in_succeeded'),
    names_account: true,
  },
  {
    ...INTERACTION,
    name: 'sign-in: code',
    proof: 'code',
    proves: ['code'],
    form: 'code',
    arrive: atCode,
    answer: async (place, who) => ({ code: (await place.app(who)).code() }),
    counted: once('sign_in_succeeded'),
  },
  {
    ...INTERACTION,
    name: 'sign-in: recovery code',
    proof: 'recovery code',
    proves: ['recovery_code'],
    form: 'code',
    async arrive(place, browser, who) {
      await place.recoveryCodes(who)
      return atCode(place, browser, who)
    },
    answer: async (place, who) => ({ recovery_code: (await place.recoveryCodes(who)).pop() ?? '' }),
    counted: once('sign_in_succeeded'),
  },
  {
    ...INTERACTION,
    name: 'sign-in: set up an app',
    proof: 'new app',
    proves: ['code'],
    form: 'set-up',
    arrive: atSetUp,
    answer: (place, _, page) => codeFor(place, page),
    counted: once('second_step_added'),
  },
  {
    ...INTERACTION,
    name: 'sign-in: the codes are saved',
    proof: 'session',
    form: 'codes',
    async arrive(place, browser, who) {
      const page = await atSetUp(place, browser, who)
      return asPage(await browser.submit(page, await codeFor(place, page)))
    },
    answer: async () => ({}),
    counted: once('sign_in_succeeded'),
  },
  {
    ...INTERACTION,
    name: 'sign-in: create a passkey',
    proof: 'new passkey',
    proves: ['credential'],
    form: 'invitation',
    arrive: async (place, browser, username) =>
      asPage(
        await browser.submit(await place.signInPage(browser), {
          username,
          password: PASSWORD,
          passkeys: 'yes',
        }),
      ),
    answer: async (_place, _who, page) => ({ invitation: 'take', credential: newPasskey(page) }),
    counted: once('passkey_added'),
  },
]

/** Whether the browser may change the account: as often as it confirmed. */
const isConfirmed: Step['counted'] = async (_, __, browser) =>
  Number((await browser.page('/account/password')).title === 'Change password')

/** Signed in long ago, at the sign-in that confirms. */
async function atConfirmation(place: Place, browser: Visitor, who: Who): Promise<Page> {
  await place.own(browser, who, '')
  place.pass(601)
  return browser.page('/account/password')
}

const CONFIRMATION: readonly Step[] = [
  {
    ...INTERACTION,
    name: 'confirm: password',
    proof: 'password',
    proves: ['password'],
    form: 'sign-in',
    arrive: atConfirmation,
    answer: async (_, username) => ({ username, password: PASSWORD }),
    counted: isConfirmed,
    repeats: true,
    names_account: true,
  },
  {
    ...INTERACTION,
    name: 'confirm: code',
    proof: 'code',
    proves: ['code'],
    form: 'code',
    async arrive(place, browser, who) {
      await place.app(who)
      const page = await atConfirmation(place, browser, who)
      return asksForPassword(page) ? asPage(await signInOn(browser, page, who)) : page
    },
    answer: async (place, who) => ({ code: (await place.app(who)).code() }),
    counted: isConfirmed,
  },
  {
    ...INTERACTION,
    name: 'confirm: passkey',
    proof: 'passkey',
    proves: ['method', 'credential'],
    form: 'sign-in',
    async arrive(place, browser, who) {
      await place.passkey(who)
      return atConfirmation(place, browser, who)
    },
    answer: async (place, who, page) => ({
      method: 'passkey',
      credential: (await place.passkey(who)).get(optionsOn(page)),
    }),
    counted: isConfirmed,
    names_account: true,
  },
]

type Act = Pick<Step, 'arrive' | 'answer' | 'counted'> & Partial<Step>

const at = (path: string): Step['arrive'] => {
  return (place, browser, who) => place.own(browser, who, path)
}

/** At a page, with an app that was set up and confirmed. */
const withApp = (path: string): Step['arrive'] => {
  return async (place, browser, who) => {
    await place.app(who)
    return place.own(browser, who, path)
  }
}

/** At the passkeys, of which there is one. A sign-in by it is the strongest. */
const withPasskey: Step['arrive'] = async (place, browser, who) => {
  const passkey = await place.passkey(who)
  const page = await browser.page('/account/passkeys')
  if (page.title !== 'Sign in') return page
  const credential = passkey.get(optionsOn(page))
  return asPage(await browser.submit(page, { method: 'passkey', credential }))
}

/** At the account, signed in elsewhere, too, where an application has access. */
const signedInElsewhere: Step['arrive'] = async (place, browser, who) => {
  const elsewhere = place.visitor()
  const login = await elsewhere.page(requestUrl({ scope: 'openid profile', prompt: 'consent' }))
  await elsewhere.submit(await place.signIn(elsewhere, who, login), { decision: 'allow' })
  return place.own(browser, who, '')
}

const DESK = 'https://desk.example'
const HOST: AdminCaller = { kind: 'command', id: '', login: 'root', scopes: new Set() }

/** At the account, while somebody at the command line acts for them. */
const actedFor: Step['arrive'] = async (place, browser, who) => {
  await place.storage.records.put({ kind: RESOURCE, id: DESK, hash: { name: 'Desk' } })
  const body = { client_id: 'own', resource: DESK, reason: 'a call' }
  await actAs.run({ ...place.redmint, caller: HOST }, { params: { username: who }, query: {}, body })
  return place.own(browser, who, '')
}

/** At the account, where an application may not ask any more. */
const withMuted: Step['arrive'] = async (place, browser, who) => {
  const set = { muted_clients: 'own' }
  await place.storage.records.change(USER, who, { set })
  return place.own(browser, who, '')
}

/** Who had a browser with notices. */
const noticed = new WeakMap<Place, Set<Who>>()

/** At the browsers with notices, which are kept while notices are off. */
const withNotices: Step['arrive'] = async (place, browser, who) => {
  const keys = { p256dh: '', auth: '' }
  const kept = { endpoint: 'https://push.example.com/x', keys, language: 'en', added_at: 0 }
  await keepSubscription(place, who, kept)
  noticed.set(place, (noticed.get(place) ?? new Set()).add(who))
  return place.own(browser, who, '/notices')
}

const nothing = async () => ({})
const valueOn = ({ text }: Page, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

/** By the names of the actions: one without a row here is a fault of this table. */
const ACTS: Readonly<Record<string, Act>> = {
  'change-profile': {
    proof: 'session',
    arrive: at('/profile'),
    answer: async () => ({ name: 'Somebody Else' }),
    // What is emptied is removed.
    may_be_empty: ['name'],
    counted: once('user_changed'),
  },
  'change-password': {
    arrive: at('/password'),
    answer: async () => ({ password: NEW, others: 'yes' }),
    counted: once('password_changed'),
  },
  'change-address': {
    arrive: at('/address'),
    answer: async (_place, who) => ({ email: `${who}@elsewhere.example` }),
    counted: once('address_change_asked'),
    repeats: true,
  },
  'add-passkey': {
    proof: 'new passkey',
    proves: ['credential'],
    arrive: at('/passkeys'),
    answer: async (_place, _who, page) => ({ credential: newPasskey(page) }),
    counted: once('passkey_added'),
  },
  'rename-passkey': {
    proof: 'session',
    hidden: ['csrf'],
    arrive: withPasskey,
    answer: async (place, who) => ({ passkey: (await place.passkey(who)).id, name: 'Blue' }),
    async counted({ redmint }, who) {
      const { passkeys } = (await findFactors(redmint, who)).factors
      return [...passkeys.values()].filter(({ name }) => name === 'Blue').length
    },
    repeats: true,
  },
  'remove-passkey': {
    hidden: ['csrf'],
    arrive: withPasskey,
    answer: async (place, who) => ({ passkey: (await place.passkey(who)).id }),
    counted: once('passkey_removed'),
  },
  'confirm-totp': {
    proof: 'new app',
    proves: ['code'],
    arrive: at('/second-step'),
    answer: (place, _, page) => codeFor(place, page),
    counted: once('second_step_added'),
  },
  'new-codes': {
    hidden: ['csrf'],
    arrive: withApp('/second-step'),
    answer: nothing,
    counted: once('recovery_codes_made'),
  },
  'remove-totp': {
    hidden: ['csrf'],
    arrive: withApp('/second-step'),
    answer: nothing,
    counted: once('second_step_removed'),
  },
  'delete-account': { arrive: at('/delete'), answer: nothing, counted: once('user_removed') },
  'sign-out': {
    proof: 'session',
    hidden: ['csrf'],
    arrive: at(''),
    answer: nothing,
    counted: once('signed_out'),
  },
  'end-session': {
    proof: 'session',
    hidden: ['csrf'],
    arrive: signedInElsewhere,
    answer: async (_place, _who, page) => ({ sid: valueOn(page, 'sid') }),
    counted: once('sessions_ended'),
  },
  'end-others': {
    proof: 'session',
    hidden: ['csrf'],
    arrive: signedInElsewhere,
    answer: nothing,
    counted: once('sessions_ended'),
    // The mark in the user record moves on to now.
    repeats: true,
  },
  'end-application': {
    proof: 'session',
    hidden: ['csrf'],
    arrive: signedInElsewhere,
    answer: async (_place, _who, page) => ({ client_id: valueOn(page, 'client_id') }),
    counted: once('consent_withdrawn'),
    repeats: true,
  },
  'end-support': {
    proof: 'session',
    hidden: ['csrf'],
    arrive: actedFor,
    answer: async (_place, _who, page) => ({ grant: valueOn(page, 'grant') }),
    counted: once('grants_ended'),
  },
  unmute: {
    proof: 'session',
    hidden: ['csrf'],
    arrive: withMuted,
    answer: async (_place, _who, page) => ({ client_id: valueOn(page, 'client_id') }),
    counted: once('client_unmuted'),
  },
  'remove-notices': {
    proof: 'session',
    hidden: ['csrf'],
    arrive: withNotices,
    answer: async (_place, _who, page) => ({ browser: valueOn(page, 'browser') }),
    counted: async (place, who) => {
      const left = await subscriptionsOf(place, who)
      return noticed.get(place)?.has(who) && left.length === 0 ? 1 : 0
    },
  },
}

const ACCOUNT: readonly Step[] = Object.keys(ACTIONS).flatMap((name) => {
  const act = ACTS[name]
  if (act === undefined) return []
  return [{ name, path: `${PATHS.account}/${name}`, proof: 'confirmation', form: 'account', ...act } as const]
})

const linkOf = (flow: Flow): Step => ({
  name: flow.name,
  path: flow.path,
  proof: `link of ${flow.name}`,
  form: flow.path,
  arrive: async ({ redmint }, browser, who) =>
    browser.page(flow.path + new URL(await flow.give(redmint, who)).search),
  answer: async (_, who) => flow.answer(who),
  counted: async (place, who) => Number(await place.hasEffect(flow, who)),
})

const LINKS = FLOWS.flatMap((flow): readonly Step[] => {
  const step = linkOf(flow)
  if (flow.path !== PATHS.reset_password) return [step]
  const with_code: Step = {
    ...step,
    name: `${flow.name}, and a code`,
    proof: 'code',
    takes: 'recovery code',
    proves: ['code'],
    // It says which of the two codes the page asks for: without it, that of the app.
    may_be_empty: ['way'],
    async arrive(place, browser, who) {
      await place.app(who)
      return step.arrive(place, browser, who)
    },
    answer: async (place, who) => ({ ...flow.answer(who), code: (await place.app(who)).code() }),
  }
  return [step, with_code]
})

/** Passkeys are all that people sign in with. */
const PASSKEYS_ONLY: TestOptions = { sign_in: 'passkeys' }

const credentialOf = async (place: Place, who: Who, page: Page) => ({
  credential: (await place.passkey(who)).get(optionsOn(page)),
})

const signInAlone = async (place: Place, browser: Visitor, who: Who, page: Page): Promise<Page> =>
  asPage(await browser.submit(page, await credentialOf(place, who, page)))

const newCredential = async (_: unknown, __: unknown, page: Page) => ({ credential: newPasskey(page) })

const renewal: Step = {
  place: PASSKEYS_ONLY,
  name: 'a new passkey',
  path: PATHS.reset_password,
  proof: 'link of a new passkey',
  proves: ['credential'],
  form: PATHS.reset_password,
  arrive: async ({ redmint }, browser, who) =>
    browser.page(PATHS.reset_password + new URL((await giveResetLink(redmint, who))?.url ?? '').search),
  answer: newCredential,
  counted: once('passkey_added'),
}

const ALONE: readonly Step[] = [
  {
    ...INTERACTION,
    place: PASSKEYS_ONLY,
    name: 'sign-in: passkey alone',
    proof: 'passkey',
    proves: ['credential'],
    form: 'sign-in',
    async arrive(place, browser, who) {
      await place.passkey(who)
      return place.signInPage(browser)
    },
    answer: credentialOf,
    counted: once('sign_in_succeeded'),
    names_account: true,
  },
  {
    ...INTERACTION,
    place: PASSKEYS_ONLY,
    name: 'confirm: passkey alone',
    proof: 'passkey',
    proves: ['credential'],
    form: 'sign-in',
    async arrive(place, browser, who) {
      await place.passkey(who)
      const page = await browser.page('/account')
      if (page.hidden.transaction !== undefined) await signInAlone(place, browser, who, page)
      place.pass(601)
      return browser.page('/account/passkeys')
    },
    answer: credentialOf,
    counted: async (_, __, browser) => Number((await browser.page('/account/passkeys')).title === 'Passkeys'),
    names_account: true,
  },
  {
    place: PASSKEYS_ONLY,
    name: 'an invitation, with a passkey',
    path: PATHS.welcome,
    proof: 'link of an invitation, with a passkey',
    proves: ['credential'],
    form: PATHS.welcome,
    arrive: async ({ redmint }, browser) => {
      const by = { kind: 'command', id: '' } as const
      const { url } = await giveInvitation(redmint, { uses: 1, days: 1, groups: [], by })
      return browser.page(PATHS.welcome + new URL(url).search)
    },
    answer: async (_, who, page) => ({ username: `new-${who}`, credential: newPasskey(page) }),
    counted: async (place, who) => place.happened('user_joined', `new-${who}`),
  },
  renewal,
  {
    ...renewal,
    name: 'a new passkey, and a code',
    proof: 'code',
    takes: 'recovery code',
    proves: ['code'],
    // It says which of the two codes the page asks for: without it, that of the app.
    may_be_empty: ['way'],
    async arrive(place, browser, who) {
      await place.app(who)
      return renewal.arrive(place, browser, who)
    },
    answer: async (place, who, page) => ({
      credential: newPasskey(page),
      code: (await place.app(who)).code(),
    }),
  },
]

export const STEPS: readonly Step[] = [...SIGN_IN, ...CONFIRMATION, ...ACCOUNT, ...LINKS, ...ALONE]

/** The form of a step as it is sent: its hidden fields, and an answer. */
export function formOf({ hidden }: Step, page: Page, answer: Fields): Fields {
  const own = Object.entries(page.hidden).filter(([name]) => hidden?.includes(name) ?? true)
  return { ...Object.fromEntries(own), ...answer }
}

/** A form with what another answer proves in place of its own proof. */
export function withProof({ proves = [] }: Step, form: Fields, other: Step, answer: Fields): Fields {
  const rest = Object.entries(form).filter(([name]) => !proves.includes(name))
  const proof = Object.entries(answer).filter(([name]) => other.proves?.includes(name))
  return Object.fromEntries([...rest, ...proof])
}
