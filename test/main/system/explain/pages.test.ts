// Each page that refuses something to a person and is no error of the protocol has the id of its request, which is explained and
// counted.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { REASONS, type Reason } from '../../../../src/core/reasons.ts'
import { FAILURES } from '../../../../src/interaction/refused-sign-ins.ts'
import { userRecord } from '../../../support/accounts.ts'
import { wrongCode } from '../../../support/authenticator.ts'
import { startWithDevices } from '../../../support/device.ts'
import { happensAt } from '../../../support/explain/happen.ts'
import { leave as leaveToLogin, startWithLogin } from '../../../support/own-login/application.ts'
import { ROOT } from '../../../support/process.ts'
import { federate, leave, type Meddle, signInThere, UPSTREAM } from '../../../support/providers/federation.ts'
import { changeUser, createClient, createUser } from '../../../support/records.ts'
import { keyOn } from '../../../support/scene/pages.ts'
import { pathOf, requestUrl, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { CLIENTS, type Service, type TestOptions } from '../../../support/service.ts'
import { asPage, type Departure, type Page } from '../../../support/visitor.ts'

const EXPLAINED: TestOptions = { explain: { delay: 1 } }

/** The reasons that pages were seen to explain. */
const seen = new Set<Reason>()

/** Returns what expects a page of a service with the id of its refusal. */
function pagesOf(t: Test, service: Pick<Service, 'fastify' | 'storage' | 'get'>) {
  const { explained } = happensAt(t, service)
  return async (reason: Reason, found: Page | Departure) => {
    const { text } = asPage(found)
    const [, id = ''] = /<dl class="note">[\s\S]*?<code>([^<]+)</.exec(text) ?? []
    t.not(id, '', `the page of ${reason} has an id`)
    if (id !== '') await explained(reason, id)
    const counted = [...service.fastify.redmint.counts.refusals.values()].some((reasons) =>
      reasons.has(reason),
    )
    t.ok(counted, `${reason} is counted`)
    seen.add(reason)
  }
}

t.test('signing in, access and links', async (t) => {
  const service = await scene(t, { ...EXPLAINED, sign_in_failures: 6, second_factor: 'optional' })
  const expect = pagesOf(t, service)
  const { visitor, storage } = service
  await createUser(storage, 'bare', { sub: 'sub-of-bare' })
  await createUser(storage, 'carol', await userRecord('sub-of-carol'))
  await changeUser(storage, 'bob', { set: { second_factor: 'required' } })
  const person = visitor()
  const { url } = await person.page(requestUrl())
  const attempt = async (username: string, password?: string) =>
    signInOn(person, await person.page(url), username, password)
  await expect('user_unknown', await attempt('somebody'))
  await expect('password_wrong', await attempt('alice', 'wrong horse'))
  await expect('user_without_password', await attempt('bare'))
  for (let i = 0; i < 6; i++) await attempt('alice', 'wrong horse')
  await expect('sign_ins_limited', await attempt('alice', 'wrong horse'))
  const bob = visitor()
  const step = asPage(await signInOn(bob, await bob.page(requestUrl({ client_id: 'own' })), 'bob'))
  const wrong = { code: wrongCode(keyOn(step), service.fastify.redmint.now()) }
  await expect('sign_in_answer_wrong', await bob.submit(step, wrong))
  const closed = { ...CLIENTS.app, client_id: 'closed', allowed_groups: ['staff'] }
  await createClient(storage, 'closed', formatClient(closed))
  const carol = visitor()
  const asked = await carol.page(requestUrl({ client_id: 'closed', scope: 'openid' }))
  await expect('access_by_group', await signInOn(carol, asked, 'carol'))
  await expect('link_over', await visitor().page('/reset-password'))
  await changeUser(storage, 'carol', { set: { disabled: 'true' } })
  const other = visitor()
  await expect('user_disabled', await signInOn(other, await other.page(requestUrl()), 'carol'))
})

t.test('devices', async (t) => {
  const { visitor, codes, ...service } = await startWithDevices(t, { ...EXPLAINED, sign_in_failures: 2 })
  const expect = pagesOf(t, service)
  const alice = visitor()
  await expect('user_code_wrong', await alice.page('/device?user_code=x'))
  const asked = await alice.page('/device?user_code=BBBB-BBBB')
  const signed = asked.text.includes('name="password"') ? await signInOn(alice, asked) : asked
  await expect('user_code_wrong', signed)
  await alice.page('/device?user_code=BBBB-BBBB')
  await expect('user_code_limited', await alice.page('/device?user_code=BBBB-BBBB'))
  const { verification_uri_complete } = await codes()
  const [first, late] = [visitor(), visitor()]
  const questionAt = async (browser: typeof first) =>
    asPage(await signInOn(browser, await browser.page(pathOf(verification_uri_complete)), 'bob'))
  const [question, same] = [await questionAt(first), await questionAt(late)]
  await first.submit(question, { decision: 'deny' })
  await expect('user_code_wrong', await late.submit(same, { decision: 'allow' }))
})

t.test('providers', async (t) => {
  const answers: { now: Meddle } = { now: async () => undefined }
  const federated = await federate(t, {}, EXPLAINED, answers)
  const expect = pagesOf(t, federated)
  const gone = federated.person()
  const { location } = await leave(gone)
  const denied = { state: location.searchParams.get('state') ?? '', error: 'access_denied', iss: UPSTREAM }
  const back = `/sign-in/acme/callback?${new URLSearchParams(denied)}`
  await expect('upstream_denied', await gone.here.open(back))
  const stranger = federated.person()
  const there = await signInThere(stranger, await leave(stranger))
  await expect('upstream_account', await stranger.here.open(there))
  const unlucky = federated.person()
  const arriving = await signInThere(unlucky, await leave(unlucky))
  answers.now = async () => new Response('', { status: 503 })
  await expect('upstream_failed', await unlucky.here.open(arriving))
})

t.test('the page of an application', async (t) => {
  const service = await startWithLogin(t, EXPLAINED)
  const expect = pagesOf(t, service)
  const browser = service.visitor()
  const answer = { state: await leaveToLogin(browser), login_verifier: 'made.up' }
  await expect('own_page_failed', await browser.open(`/oauth2/interaction?${new URLSearchParams(answer)}`))
})

/** Seen in other tests. */
const ELSEWHERE: readonly Reason[] = [
  // An error page that an id is on, or the client gets the error.
  ...(['browser_request_ended', 'sign_in_refused'] as const),
  // The person is signed out all the same: the address of the client is refused.
  'logout_request_wrong',
  // A directory, a provider that says when somebody signed in, and many attempts: reasons.test.ts, test/main/src/providers/session.test.ts.
  ...(['password_expired', 'sign_in_not_fresh', 'second_step_limited'] as const),
]

t.test('no reason that is told without an error of the protocol is missing here', async (t) => {
  const told = new Set<Reason>(Object.values(FAILURES))
  const folders = ['src', 'routes', 'plugins']
  const found = await Promise.all(folders.map((folder) => readdir(join(ROOT, folder), { recursive: true })))
  const files = found.flatMap((names, i) => names.map((name) => join(ROOT, folders[i] ?? '', name)))
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(file, 'utf8')
    for (const [, call = ''] of text.matchAll(/\brefused\(\{([^}]*)/g))
      for (const [, reason = ''] of call.matchAll(/'(\w+)'/g))
        if (Object.hasOwn(REASONS, reason)) told.add(reason as Reason)
  }
  t.strictSame([...told].sort(), [...seen, ...ELSEWHERE].sort())
})
