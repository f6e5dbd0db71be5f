// What Home shows of the last day and of what is to be done, the newest sessions, and what the search box takes.
import t from 'tap'
import { SILENT } from '../../../../src/core/log.ts'
import { MAX_NEWEST, NEWEST, NewestSessions } from '../../../../src/sessions/newest-sessions.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { tokenOfPage } from '../../../support/scene/operators.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import type { Visitor } from '../../../support/visitor.ts'

const SOON = { keepers: { every: 20 } }

/** Sends the search box. */
async function find(visitor: Visitor, q: string, csrf?: string) {
  const form = new URLSearchParams({
    csrf: csrf ?? tokenOfPage(await visitor.page('/console')),
    q,
  }).toString()
  const { status, headers, text } = await visitor.request('POST', '/console/find', form)
  return { status, location: headers.location, text }
}

t.test('the last day is drawn without a script or a style, with its numbers in tables', async (t) => {
  const { operator, get } = await scene(t, { with: ['console'], ...SOON })
  const ada = await operator()
  await get('/oauth2/authorize?client_id=web&redirect_uri=https://evil.example/&response_type=code')
  const home = async () => (await ada.page('/console')).text
  await until('it is counted', async () => /redirect_uri_unregistered/.test(await home()))
  const text = await home()
  t.match(text, /role="img" aria-label="Sign-ins by the hour: [1-9]\d* succeeded, 0 failed/)
  t.match(text, /aria-label="Refused requests by the hour: 1 in all\."/)
  t.match(text, /<rect class="first"/)
  t.notMatch(text, /style=|<style|<script(?! src=)/)
  t.match(text, /Servers and Redis looked at (?:<time|not yet)/)
  t.match(text, /What changed/)
})

t.test('the newest sessions of everybody, by person, application and address', async (t) => {
  const { operator, call, tokenOf } = await scene(t, { with: ['console'], ...SOON })
  const ada = await operator()
  await operator('ben')
  const text = async (query = '') => (await ada.page(`/console/sessions${query}`)).text
  const both = ['ada', 'ben'].map((username) => `people/${username}/sessions"`)
  await until('both are listed', async () => {
    const page = await text()
    return both.every((one) => page.includes(one))
  })
  t.match(await text('?client_id=redmint-console'), 'people/ben/sessions')
  const { text: grants } = await ada.page('/console/people/ada/applications')
  t.match(grants, '>redmint-console<')
  t.notMatch(grants, '/applications/redmint-console', 'of which there is no record')
  t.match(await text('?client_id=web'), 'No session is like this')
  t.match(await text('?address=192.0.2.77'), 'No session is like this')
  t.equal((await ada.page('/console/sessions?username=ben')).url, '/console/people/ben/sessions')
  t.match(await text('?username=ben&client_id=redmint-console'), /people\/ben\/sessions"/)
  t.notMatch(await text('?username=ben&client_id=redmint-console'), /people\/ada\/sessions"/)

  const token = await tokenOf('redmint:read')
  const { items } = (await call('GET', '/sessions?username=ben', { token })).json as {
    items: { sid: string }[]
  }
  t.equal(items.length, 1)
  const sid = items[0]?.sid ?? ''
  t.equal((await find(ada, sid)).location, '/console/people/ben/sessions', 'a session is found by its sid')
  const page = (await call('GET', '/sessions?limit=1', { token })).json as { items: unknown[]; next: string }
  t.equal(page.items.length, 1)
  const rest = (await call('GET', `/sessions?limit=1&cursor=${encodeURIComponent(page.next)}`, { token }))
    .json as { items: unknown[] }
  t.equal(rest.items.length, 1)
  t.notSame(rest.items, page.items)

  await ada.submit(await ada.page('/console/people/ben/end-sessions'), {})
  t.notMatch(await text(), /people\/ben\/sessions"/, 'one that ended is not shown')
})

t.test('with the console off nothing is kept, and nobody is asked', async (t) => {
  const { call, tokenOf, storage, fastify } = await scene(t, { with: ['console'], ...SOON, console: 'off' })
  const token = await tokenOf('redmint:read')
  for (const path of ['/sessions', '/server/day']) {
    const { status, json } = await call('GET', path, { token })
    t.equal(status, 409, path)
    t.match(json.detail, 'CONSOLE=on')
  }
  t.equal(fastify.redmint.sessions.listenerCount('started'), 0)
  t.equal(await storage.lists.count(NEWEST), 0)
  t.same(await storage.bounded.read('day-counts'), [])
})

t.test('the list of the newest sessions is cut, and keeps the newest', async (t) => {
  const storage = new MemoryStorage()
  const newest = new NewestSessions({ storage, log: SILENT }, 86_400_000)
  const start = Date.now() + 60_000
  for (let i = 0; i < 5 * MAX_NEWEST; i += 1) {
    newest.note({ id: `s-${i}`, ends_at: start + i })
    if (i % 150 === 0) await newest.close()
  }
  await newest.close()
  const count = await storage.lists.count(NEWEST)
  t.ok(count >= MAX_NEWEST && count <= MAX_NEWEST + 100, `${count}`)
  const { entries } = await storage.lists.page(NEWEST, { limit: 1 })
  t.equal(entries[0]?.id, `s-${5 * MAX_NEWEST - 1}`)
})

t.test('H7 what is pasted into the search box is in no address', async (t) => {
  const { operator, tokenOf } = await scene(t, { with: ['console'], ...SOON })
  const ada = await operator()
  const token = await tokenOf('redmint:read')
  const found = await find(ada, ` ${token}\n`)
  t.equal(found.status, 200)
  t.match(found.text, /<h1>An access token of [^<]*, valid</)
  t.notOk(found.text.includes(token), 'nor on the page')
  const none = await find(ada, 'nobody-at-all')
  t.equal(none.status, 200)
  t.match(none.text, 'Nothing has this name')
  t.notMatch(none.text, 'nobody-at-all')
  t.equal((await find(ada, 'alice')).location, '/console/people/alice')
  t.match((await ada.page(`/console/search?q=${token}`)).text, 'Paste a token into the box')
  const foreign = await find(ada, token, 'x'.repeat(43))
  t.equal(foreign.status, 403)
  t.notMatch(foreign.text, ', valid<')
})
