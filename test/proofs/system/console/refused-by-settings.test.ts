// What a server refuses by its settings, whatever the record is: the console neither offers nor shows it, and says why.
import t from 'tap'
import { changeUser } from '../../../support/records.ts'
import { withRecords } from '../../../support/scene/operators.ts'
import { signInOn, visitorOf } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { startService, type TestOptions } from '../../../support/service.ts'
import { asPage, type Visitor } from '../../../support/visitor.ts'

const CONSOLE = { admin_api: 'on', console: 'on', audit: 'on', demo: false } as const

/** An operator who signed in before the server was started again with other settings. */
async function signedInBefore(t: Parameters<typeof scene>[0], options: TestOptions) {
  const { fastify, storage } = await scene(t, { with: ['console'] })
  const restarted = await startService(t, { ...CONSOLE, storage, ...options })
  let replica = fastify
  const ada = visitorOf(() => replica)
  asPage(await signInOn(ada, await ada.page('/console'), 'ada'))
  const token = asPage(await ada.open('/console/people/alice/reset-link')).hidden.csrf
  replica = restarted.fastify
  return { ada, storage, csrf: token ?? '' }
}

/** Sends the form of an action, although no page has it. */
const press = async (visitor: Visitor, path: string, form: Record<string, string>) => {
  const body = new URLSearchParams({ key: path, ...form }).toString()
  return visitor.request('POST', path, body)
}

t.test('where nobody signs in with what a link sets up, no link is offered', async (t) => {
  const { ada, csrf } = await signedInBefore(t, { sign_in: 'provider:acme' })
  const person = await ada.page('/console/people/alice')
  t.notMatch(person.text, '/reset-link')
  t.match(person.text, '<p class="empty">Nobody signs in here with a password of redmint')
  t.match(person.text, '/console/people/alice/disable', 'the other actions are there')
  const invitations = await ada.page('/console/invitations')
  t.notMatch(invitations.text, '/invitations/new')
  t.match(invitations.text, '<p class="empty">Nobody signs in here with what an invitation sets up')
  for (const [path, words] of [
    ['/console/people/alice/reset-link', 'Nobody signs in here with a password of redmint'],
    ['/console/invitations/new', 'Nobody signs in here with what an invitation sets up'],
  ] as const) {
    const page = await ada.page(path)
    t.match(page, { status: 409 }, path)
    t.notMatch(page.text, 'class="main"', 'no form that could never act')
    const answer = await press(ada, path, { csrf })
    t.match(answer, { status: 409 }, path)
    t.match(answer.text, words)
  }
})

t.test('without an SMTP server no mail is offered', async (t) => {
  const { ada, csrf } = await signedInBefore(t, {})
  const { text } = await ada.page('/console/server')
  t.notMatch(text, '/mails/test')
  t.match(text, '<p>There is no SMTP server: set SMTP_URL and MAIL_FROM.')
  const answer = await press(ada, '/console/mails/test', { csrf, to: 'a@example.com' })
  t.match(answer, { status: 409 })
  t.match(answer.text, 'There is no SMTP server')
  t.notMatch((await ada.page('/console/invitations/new')).text, 'name="send"')
  const sent = await press(ada, '/console/invitations/new', { csrf, email: 'a@example.com', send: 'true' })
  t.match(sent, { status: 409 })
})

t.test('a list that is empty because it is turned off says so', async (t) => {
  const { operator, storage } = await scene(t, { with: ['console'], explain_max: 0 })
  await withRecords(storage)
  const ada = await operator()
  const explain = await ada.page('/console/explain')
  t.match(explain.text, 'No explanations are kept: EXPLAIN_MAX is 0.')
  t.notMatch(explain.text, 'Nothing was refused lately')
  const { text } = await ada.page('/console')
  t.match(text, 'Why requests were refused')
  t.notMatch(text, '/console/explain">All</a>', 'no link to what is not kept')
  const server = await ada.page('/console/server')
  t.equal(server.text.split('There is no SMTP server').length, 2, 'said once')
  t.notMatch(server.text, 'No mail waits')
  t.match(
    (await ada.page('/console/providers')).text,
    'SIGN_IN is password here: people sign in by providers only',
  )
  t.match((await ada.page('/console/issuers')).text, 'TRUSTED_ISSUERS is not set here')
  t.notMatch((await ada.page('/console/apis')).text, 'not set here')
})

t.test('turned on, an empty list is empty', async (t) => {
  const { operator, storage } = await scene(t, {
    with: ['console'],
    sign_in: 'providers',
    trusted_issuers: true,
  })
  await withRecords(storage)
  const ada = await operator()
  t.match((await ada.page('/console/explain')).text, 'Nothing was refused lately')
  t.match((await ada.page('/console')).text, '/console/explain">All</a>')
  for (const path of ['/console/providers', '/console/issuers'])
    t.notMatch((await ada.page(path)).text, / here: /, path)
})

t.test('a second step is demanded by the server or of the person, and is off for everybody', async (t) => {
  for (const [second_factor, ...expected] of [
    ['off', 'is off at this server', 'is off at this server'],
    ['optional', 'is asked for if it is set up', 'is demanded'],
    ['required', 'is demanded', 'is demanded'],
  ] as const) {
    const { ada, storage } = await signedInBefore(t, { second_factor })
    await changeUser(storage, 'bob', { set: { second_factor: 'required' } })
    const said = async (name: string) =>
      /A second step ([^<]*)/.exec((await ada.page(`/console/people/${name}`)).text)?.[1]
    t.same([await said('alice'), await said('bob')], expected, second_factor)
  }
})
