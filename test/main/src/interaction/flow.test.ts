// The steps of a user for a request that is no authorization request and returns to no client, such as one of a device.
import { EventEmitter } from 'node:events'
import t, { type Test } from 'tap'
import type { OAuthError } from '../../../../src/core/errors.ts'
import { SILENT } from '../../../../src/core/log.ts'
import type { Flows } from '../../../../src/interaction/flow.ts'
import { continueInteraction, finishInteraction, showInteraction } from '../../../../src/interaction/flow.ts'
import type {
  Interaction,
  InteractionContext,
  InteractionReply,
  UserStep,
} from '../../../../src/interaction/interaction.ts'
import { password } from '../../../../src/interaction/password-method.ts'
import { type PendingContext, startPending } from '../../../../src/interaction/pending-request.ts'
import { formSubmission } from '../../../../src/interaction/submission.ts'
import { Sealer } from '../../../../src/keys/sealer.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { createTheme } from '../../../../src/pages/theme.ts'
import { newCounts } from '../../../../src/service/counts.ts'
import { type Browser, type BrowserIdentity, newBrowserIdentity } from '../../../../src/sessions/browser.ts'
import { AccountRegistry } from '../../../../src/users/account-registry.ts'
import { ALICE, openDesk } from '../../../support/interaction/desk.ts'
import { readConsent } from '../../../support/records.ts'

type Answer = { to: 'device'; allowed: boolean }

const view = { theme: createTheme({ service_name: 'Wonderland', accent_color: '#0f766e' }), language: en }

const CONSENT = {
  step: 'consent',
  client_id: 'tv',
  names: ['openid'],
  resources: [],
  details: [],
  required: ['openid'],
  claims: [],
  allowed: undefined,
  remembered: new Map(),
} as const

/** Asks for a sign-in, the account and consent, and then answers. The kind does not matter here. */
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
  const { sealing_keys: store } = storage
  const sealer = new Sealer({ store, settings: {}, log: SILENT, now: () => clock.now })
  t.teardown(() => sealer.close())
  await sealer.start()
  const context: InteractionContext & PendingContext = {
    ...desk,
    sealer,
    clients: { find: async () => undefined },
    accounts: new AccountRegistry({ storage, log: SILENT, settings: { demo: false }, now: () => clock.now }),
    logouts: new EventEmitter(),
    sessions: new EventEmitter(),
    methods: [password],
    counts: newCounts(),
    report() {},
    request_id: '',
    refused() {},
    consent_site: undefined,
    now: () => clock.now,
    waitsFor: undefined,
    began: () => clock.now,
  }
  const started = startPending(context, { kind: 'logout', parameters: {} }, {})
  const browser: { identity: BrowserIdentity; session?: string } = { identity: started.cookies.browser }
  /** What the address bar has. */
  const at = { transaction: started.transaction }
  const show = (from: Browser = browser) => showInteraction(context, flows, at.transaction, from)
  const page = async () => {
    const reply = await show()
    if (reply.to !== 'page') throw new Error(`no page, but ${reply.to}`)
    return reply.render(view)
  }
  /** Sends the form of the page that is shown. */
  const submit = async (fields: Record<string, string>) => {
    const text = await page()
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(text) ?? []
    const [, transaction = ''] = /name="transaction" value="([^"]*)"/.exec(text) ?? []
    const submission = formSubmission({ ...fields, csrf, transaction }, { address: '192.0.2.1' })
    const reply: InteractionReply = await continueInteraction(context, flows, submission, browser)
    if (reply.to !== 'next') throw new Error(`not the next step, but ${reply.to}`)
    at.transaction = reply.transaction
    const { browser: identity, session } = reply.cookies ?? {}
    if (identity !== undefined) browser.identity = identity
    if (session !== undefined) browser.session = session
    return reply
  }
  const sid = async () => /name="account" value="([^"]*)"/.exec(await page())?.[1] ?? ''
  return { storage, context, at, browser, show, page, submit, sid, clock }
}

t.test('sign-in, account, consent, answer', async (t) => {
  const { storage, page, submit, show, sid } = await start(t)
  t.match(await page(), /to continue to<\/p>\n<div .*<strong><bdi>The TV<\/bdi><\/strong>/)
  await submit({ username: 'alice', password: 'wrong' })
  t.match(await page(), 'Wrong username or password.')
  await submit(ALICE)
  t.match(await page(), '<h1>Choose an account</h1>')
  await submit({ account: await sid() })
  t.match(await page(), '<h1>Allow <bdi>The TV</bdi> to access your account?</h1>')
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

t.test(
  'a form whose answer is no redirect leads to the next step, and what is due is found once',
  async (t) => {
    const { context, at, browser, page } = await start(t)
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(await page()) ?? []
    let found = 0
    const counted: Flows<Answer> = {
      async logout() {
        found += 1
        return { due: 'user', step: { step: 'login' }, destination: undefined }
      },
    }
    const submission = formSubmission({ ...ALICE, csrf, ...at }, { address: '192.0.2.1' })
    const reply = await finishInteraction(context, counted, submission, browser)
    t.equal(reply.to, 'next')
    t.equal(found, 1)
  },
)

t.test('a request of another browser, or of a kind without a flow, cannot be opened', async (t) => {
  const { context, at, browser, show } = await start(t)
  const { transaction } = at
  const expired = async (reply: Promise<unknown>, name: string) => {
    const error = await reply.then(
      () => undefined,
      (error: OAuthError) => error,
    )
    t.equal(error?.page, 'expired', name)
  }
  const submission = formSubmission({ transaction, csrf: 'x' }, { address: '192.0.2.1' })
  await expired(showInteraction(context, {}, transaction, browser), 'no flow')
  await expired(continueInteraction(context, {}, submission, browser), 'no flow, by form')
  await expired(show({ identity: newBrowserIdentity() }), 'another browser')
  await expired(show({}), 'no cookie')
  t.match(await continueInteraction(context, flows, submission, browser), { to: 'next', transaction })
})
