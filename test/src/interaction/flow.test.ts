// The steps of a user for a request that is no authorization request and returns to no client, such as one of a device.
import { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import { AccountRegistry } from '../../../src/accounts/account-registry.ts'
import type { OAuthError } from '../../../src/core/errors.ts'
import { SILENT } from '../../../src/core/log.ts'
import type { Flows } from '../../../src/interaction/flow.ts'
import { continueInteraction, showInteraction } from '../../../src/interaction/flow.ts'
import type {
  Interaction,
  InteractionContext,
  InteractionReply,
  UserStep,
} from '../../../src/interaction/interaction.ts'
import { type PendingContext, savePendingRequest } from '../../../src/interaction/pending-request.ts'
import { METHODS } from '../../../src/interaction/sign-in-methods.ts'
import { formSubmission } from '../../../src/interaction/submission.ts'
import { en } from '../../../src/pages/messages/en.ts'
import { createTheme } from '../../../src/pages/theme.ts'
import type { Browser } from '../../../src/sessions/browser.ts'
import { readConsent } from '../../support/records.ts'
import { ALICE, openDesk } from './desk.ts'

type Answer = { to: 'device'; allowed: boolean }

const view = { theme: createTheme({ service_name: 'Wonderland', accent_color: '#0f766e' }), language: en }

const CONSENT = { step: 'consent', client_id: 'tv', names: ['openid'], consented: 'openid' } as const

/** Asks for a sign-in, the account and consent, and then answers. The kind of the record does not matter here. */
const flows: Flows<Answer> = {
  async logout({ session, pending }) {
    const step = stepFor({ session, pending })
    if (step !== undefined) return { due: 'user', step, destination: { client_name: 'The TV' } }
    return { due: 'answer', answer: async () => ({ to: 'device', allowed: pending.refused === undefined }) }
  },
}

function stepFor({ session, pending }: Pick<Interaction, 'session' | 'pending'>): UserStep | undefined {
  if (session === undefined || pending.other_account === 'true') return { step: 'login' }
  if (pending.chosen === undefined) return { step: 'select_account' }
  return pending.agreed === undefined && pending.refused === undefined ? CONSENT : undefined
}

async function start(t: Test) {
  const { context: desk, memory: storage, clock } = await openDesk()
  const context: InteractionContext & PendingContext = {
    ...desk,
    clients: { find: async () => undefined },
    accounts: new AccountRegistry(storage, SILENT),
    logouts: new EventEmitter(),
    methods: METHODS,
    now: () => clock.now,
  }
  const request = { kind: 'logout', parameters: '{}' } as const
  const { transaction, browser_id } = await savePendingRequest(context, request, undefined)
  const browser: { id: string; session?: string } = { id: browser_id }
  const show = (from: Browser = browser) => showInteraction(context, flows, transaction, from)
  const page = async () => {
    const reply = await show()
    if (reply.to !== 'page') throw new Error(`no page, but ${reply.to}`)
    return reply.render(view)
  }
  /** Sends the form of the page that is shown. */
  const submit = async (fields: Record<string, string>) => {
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await page()) ?? []
    const submission = formSubmission({ ...fields, csrf, transaction }, '192.0.2.1')
    const reply: InteractionReply = await continueInteraction(context, flows, submission, browser)
    t.match(reply, { to: 'next', transaction })
    if (reply.to === 'next' && reply.cookies?.session !== undefined) browser.session = reply.cookies.session
    return reply
  }
  const sid = async () => /name="account" value="([^"]*)"/.exec(await page())?.[1] ?? ''
  return { storage, context, transaction, browser, show, page, submit, sid }
}

t.test('sign-in, account, consent, answer', async (t) => {
  const { storage, page, submit, show, sid } = await start(t)
  t.match(await page(), '<p class="lead">to continue to <strong><bdi>The TV</bdi></strong></p>')
  await submit({ username: 'alice', password: 'wrong' })
  t.match(await page(), 'The username or the password is not right.')
  await submit(ALICE)
  t.match(await page(), '<h1>Choose an account</h1>')
  await submit({ account: await sid() })
  t.match(await page(), '<strong><bdi>The TV</bdi></strong> would like to:')
  await submit({ decision: 'allow' })
  t.equal(await readConsent(storage, 'a-1', 'tv'), 'openid')
  t.strictSame(await show(), { to: 'device', allowed: true })
})

t.test('consent that is denied', async (t) => {
  const { storage, submit, show, sid } = await start(t)
  await submit(ALICE)
  await submit({ account: await sid() })
  await submit({ decision: 'deny' })
  t.equal(await readConsent(storage, 'a-1', 'tv'), undefined)
  t.strictSame(await show(), { to: 'device', allowed: false })
})

t.test('another account', async (t) => {
  const { page, submit } = await start(t)
  await submit(ALICE)
  await submit({ decision: 'other_account' })
  t.match(await page(), '<h1>Sign in</h1>')
  t.notMatch(await page(), 'value="alice"')
})

t.test('a request of another browser, or of a kind without a flow, cannot be opened', async (t) => {
  const { context, transaction, browser, show } = await start(t)
  const expired = async (reply: Promise<unknown>, name: string) => {
    const error = await reply.then(
      () => undefined,
      (error: OAuthError) => error,
    )
    t.equal(error?.page, 'expired', name)
  }
  const submission = formSubmission({ transaction, csrf: 'x' }, '192.0.2.1')
  await expired(showInteraction(context, {}, transaction, browser), 'no flow')
  await expired(continueInteraction(context, {}, submission, browser), 'no flow, by form')
  await expired(show({ id: 'x'.repeat(43) }), 'another browser')
  await expired(show({}), 'no cookie')
  t.match(await continueInteraction(context, flows, submission, browser), { to: 'next', transaction })
})
