// What people change of their profile, and what they may not.
import t, { type Test } from 'tap'
import { scene } from '../../../support/scene.ts'
import type { TestOptions } from '../../../support/service.ts'
import { asPage } from '../../../support/visitor.ts'

/** Somebody who is signed in at the page of the profile. */
async function atProfile(t: Test, options: TestOptions = {}, fields: Record<string, string> = {}) {
  const service = await scene(t, options)
  await service.setFields('alice', fields)
  const browser = service.visitor()
  await service.arrive(browser, '/account')
  const page = await browser.page('/account/profile')
  const send = async (form: Record<string, string>) =>
    asPage(await browser.post('/account/change-profile', { ...page.hidden, ...form }))
  return { ...service, browser, page, send }
}

/** The names of the fields that a page asks for. */
const fieldsOn = (text: string) =>
  [...text.matchAll(/<(?:input|select) id="([^"]*)"/g)].map(([, name]) => name)

t.test('names and the language are changed, and an empty one goes', async (t) => {
  const alice = await atProfile(t, {}, { name: 'Alice', nickname: 'Al' })
  t.strictSame(fieldsOn(alice.page.text), ['name', 'given_name', 'family_name', 'locale'])
  t.match(alice.page.text, 'value="Alice"')
  const done = await alice.send({ name: ' Alice  Liddell ', given_name: 'Alice', locale: 'de' })
  t.match(done.text, 'Ihr Profil wurde geändert.', 'this browser has the language of its person')
  t.match(await alice.user(), { name: 'Alice Liddell', given_name: 'Alice', locale: 'de', nickname: 'Al' })
  t.equal(alice.happened('user_changed', 'alice'), 1)
  await alice.send({ name: '', given_name: 'Alice', locale: 'de' })
  const { name, given_name, locale } = (await alice.user()) ?? {}
  t.strictSame({ name, given_name, locale }, { name: undefined, given_name: 'Alice', locale: 'de' })
})

t.test('what cannot be a name is said, and what was typed is kept', async (t) => {
  const alice = await atProfile(t, {}, { name: 'Alice' })
  const before = await alice.user()
  for (const form of [
    { name: 'Alice \u202egnihtyna' },
    { name: 'A'.repeat(101), given_name: 'Alice' },
    { locale: 'tlh' },
    { locale: '"><b>' },
  ]) {
    const said = await alice.send(form)
    t.match(said.text, /role="alert"/, JSON.stringify(form))
    t.notMatch(said.text, '<b>')
  }
  t.match((await alice.send({ name: 'A\u202e', given_name: 'Kept' })).text, 'value="Kept"')
  t.strictSame(await alice.user(), before)
})

t.test('only what the operator allows is asked for and taken', async (t) => {
  const alice = await atProfile(t, { account_fields: ['nickname'] }, { name: 'Alice' })
  t.strictSame(fieldsOn(alice.page.text), ['nickname'])
  await alice.send({ name: 'Root', email: 'root@example.com', admin: 'redmint:write', nickname: 'Al' })
  const { name, nickname, email, admin } = (await alice.user()) ?? {}
  t.match({ name, nickname }, { name: 'Alice', nickname: 'Al' })
  t.notMatch({ email, admin }, { email: 'root@example.com' })
  t.equal(admin, undefined)
  const off = await scene(t, { account_fields: [] })
  t.equal((await off.visitor().request('GET', '/account/profile')).status, 404)
})

t.test('a language that an operator wrote can stay', async (t) => {
  const { page, user, send } = await atProfile(t, {}, { locale: 'gsw-CH' })
  t.match(page.text, /<option value="gsw-CH" lang="gsw-CH" selected>Swiss German/)
  await send({ name: 'Alice', locale: 'gsw-CH' })
  t.match(await user(), { name: 'Alice', locale: 'gsw-CH' })
})

t.test('a form of another site changes nothing', async (t) => {
  const { browser, user } = await atProfile(t, {}, { name: 'Alice' })
  const said = asPage(await browser.post('/account/change-profile', { csrf: 'x', name: 'Mallory' }))
  t.match(said.text, 'This page was out of date')
  t.equal((await user())?.name, 'Alice')
})
