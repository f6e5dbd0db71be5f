// Linking an account with one at a provider, on the account page.
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import { observed } from '../../../support/observed.ts'
import {
  comeBy,
  federate,
  type Person,
  signInThere,
  UPSTREAM,
} from '../../../support/providers/federation.ts'
import { changeUser } from '../../../support/records.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { signInOn } from '../../../support/scene/requests.ts'
import { asDeparture, asPage, type Page } from '../../../support/visitor.ts'

const SAID = en.messages
const THERE = linkOf(UPSTREAM, 'sub-of-alice')

/** Posts a form of the page of the accounts elsewhere. */
const post = ({ here }: Person, page: Page, action: 'link' | 'unlink', more = {}) => {
  const { csrf = '' } = page.hidden
  const form = new URLSearchParams({ csrf, provider: 'acme', ...more })
  return here.submit(
    { ...page, text: `<form method="post" action="/account/${action}-provider">`, hidden: {} },
    Object.fromEntries(form),
  )
}

t.test('F11, F13 a person links, signs in, and unlinks after showing who it is', async (t) => {
  const { person, own, user, claims, provide, log } = await federate(t)
  const alice = person()
  const page = await own(alice)
  t.match(page.text, />Link accounts.example.org</)
  const answer = await signInThere(alice, asDeparture(await post(alice, page, 'link')), 'alice')
  t.match((await alice.here.page(answer)).text, SAID.own_done_linked)
  t.equal((await user('alice'))?.linked_subjects, THERE)
  t.match(log.join(''), /provider_linked/)
  t.match((await alice.here.page(answer)).text, SAID.own_done_stale, 'once')
  t.equal((await claims(await comeBy(person()))).sub, 'sub-of-alice')
  log.splice(0)
  const again = await signInThere(alice, asDeparture(await post(alice, await own(alice), 'link')))
  t.match((await alice.here.page(again)).text, SAID.own_done_linked, 'what is linked stays so')
  t.equal((await user('alice'))?.linked_subjects, THERE)
  const kept = await alice.here.page('/account/providers')
  t.match(
    kept.text,
    />Remove the link with accounts.example.org</,
    'who added a link adds without a question',
  )
  const question = asPage(await post(alice, kept, 'unlink'))
  t.equal(question.title, 'Confirm it is you', 'and takes nothing away')
  const asked = asPage(await signInOn(alice.here, question))
  await provide('other', { issuer: 'https://other.example' })
  for (const provider of ['other', 'none'])
    t.match(asPage(await post(alice, asked, 'unlink', { provider })).text, SAID.own_done_stale, provider)
  t.notOk((await user('alice'))?.unlinked_issuers)
  t.notMatch(log.join(''), /provider_(un)?linked/)
  t.match(asked.text, />Remove the link with accounts.example.org</, 'and confirms anew')
  t.match(asPage(await post(alice, asked, 'unlink')).text, SAID.own_done_unlinked)
  t.notOk((await user('alice'))?.linked_subjects)
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_no_account)
})

t.test('F13 who removed a link is not linked by the address again', async (t) => {
  const { person, own, user, claims } = await federate(t, { links_by_email: true })
  const alice = person()
  await comeBy(alice)
  t.equal((await user('alice'))?.linked_subjects, THERE)
  t.match(asPage(await post(alice, await own(alice), 'unlink')).text, SAID.own_done_unlinked)
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_known)
  t.notOk((await user('alice'))?.linked_subjects)
  const again = await signInThere(alice, asDeparture(await post(alice, await own(alice), 'link')))
  t.match((await alice.here.page(again)).text, SAID.own_done_linked, 'by hand')
  t.equal((await claims(await comeBy(person()))).sub, 'sub-of-alice')
  t.notOk((await user('alice'))?.unlinked_issuers)
})

t.test('F11 an account that two link in the same moment is of neither', async (t) => {
  const memory = new MemoryStorage()
  let is_due = false
  const storage = observed(memory, async (call, run) => {
    const answer = await run()
    if (is_due && call === 'change user') {
      is_due = false
      await setFields('bob', { linked_subjects: THERE })
    }
    return answer
  })
  const { person, own, user, setFields } = await federate(t, {}, { storage })
  const alice = person()
  const page = await own(alice)
  const answer = await signInThere(alice, asDeparture(await post(alice, page, 'link')), 'alice')
  is_due = true
  t.match((await alice.here.page(answer)).text, SAID.provider_taken)
  t.notOk((await user('alice'))?.linked_subjects)
})

t.test('F11 no form of another site, no other browser and no other session links anything', async (t) => {
  const { person, own, user, pass, provide } = await federate(t)
  const alice = person()
  const page = await own(alice)
  t.match(asPage(await post(alice, page, 'link', { csrf: 'x' })).text, SAID.own_done_stale)
  const start = async () => signInThere(alice, asDeparture(await post(alice, await own(alice), 'link')))
  const answer = await start()
  t.equal((await person().here.page(answer)).status, 400, 'nobody is signed in')
  const bob = person()
  await own(bob, 'bob')
  t.match((await bob.here.page(answer)).text, SAID.own_done_stale, 'the victim of a prepared answer')
  await provide('other')
  const elsewhere = answer.replace('/acme/', '/other/')
  t.match((await alice.here.page(elsewhere)).text, SAID.own_done_stale, 'at another callback')
  const made_up = `${new URL(answer, UPSTREAM).pathname}?${new URLSearchParams({ state: 'link~x', code: 'y' })}`
  t.match((await alice.here.page(made_up)).text, SAID.own_done_stale, 'a state of nobody')
  const late = await start()
  pass(601)
  t.match((await alice.here.page(late)).text, SAID.own_done_stale)
  const confirmed = await own(alice)
  pass(590)
  const slow = await signInThere(alice, asDeparture(await post(alice, confirmed, 'link')))
  pass(20)
  t.match((await alice.here.page(slow)).text, SAID.own_done_stale, 'the confirmation ended meanwhile')
  t.notOk((await user('alice'))?.linked_subjects)
  const back = await alice.here.request(
    'POST',
    '/account/link-provider',
    new URLSearchParams({ csrf: page.hidden.csrf ?? '', provider: 'acme' }).toString(),
  )
  t.notMatch(String(back.headers.location), UPSTREAM, 'A1 not without confirmation')
})

t.test('a link is for one account, and dies with every change of it', async (t) => {
  const { person, own, user, storage, provide, log, setFields } = await federate(t)
  await setFields('bob', { linked_subjects: THERE })
  const alice = person()
  const start = async () => signInThere(alice, asDeparture(await post(alice, await own(alice), 'link')))
  t.equal(alertOn(await alice.here.page(await start())), SAID.provider_taken)
  t.notMatch(log.join(''), /provider_linked/, 'not for a moment')
  await changeUser(storage, 'bob', { set: {}, unset: ['linked_subjects'] })
  const { searchParams } = asDeparture(await post(alice, await own(alice), 'link')).location
  const denied = { error: 'access_denied', iss: UPSTREAM, state: searchParams.get('state') ?? '' }
  const { pathname } = new URL(searchParams.get('redirect_uri') ?? '')
  const back = await alice.here.page(`${pathname}?${new URLSearchParams(denied)}`)
  t.equal(alertOn(back), SAID.provider_denied, 'who refuses there links nothing')
  const changed = await start()
  await changeUser(storage, 'alice', { set: { email: 'new@example.com' } })
  t.match((await alice.here.page(changed)).text, SAID.own_done_stale)
  const flying = await start()
  const before = await own(alice)
  await provide('acme', { disabled: true })
  t.equal(alertOn(await alice.here.page(flying)), SAID.provider_off, 'F7 a disabled provider links nothing')
  t.equal(alertOn(asPage(await post(alice, before, 'link'))), SAID.provider_off)
  t.notOk((await user('alice'))?.linked_subjects)
})

t.test('A7 the last way in stays', async (t) => {
  const { person, own, user, storage, setFields } = await federate(t)
  await setFields('alice', { linked_subjects: THERE })
  await changeUser(storage, 'alice', { set: {}, unset: ['password_hash'] })
  const alice = person()
  await comeBy(alice)
  const page = await own(alice)
  t.equal(alertOn(asPage(await post(alice, page, 'unlink'))), SAID.provider_last)
  t.equal((await user('alice'))?.linked_subjects, THERE)
})
