// What the address of the next page says was done: nothing that somebody else put into it counts.
import t from 'tap'
import { addressOf, readNotice } from '../../../../src/console/notice.ts'

const START = 1_700_000_000_000
const COOKIE = 'a'.repeat(43)
let now = START
// What is sealed can be opened, and nothing else.
const sealed = new Map<string, string>()
const context = {
  now: () => now,
  sealer: {
    seal: (purpose: string, text: string) => {
      const name = text.padEnd(text.length * 2, 'x')
      sealed.set(`${purpose} ${name}`, text)
      return name
    },
    open: (purpose: string, name: string) => sealed.get(`${purpose} ${name}`),
  },
}
const undo = (size = 1) => ({ path: '/people/bob/enable', fields: { version: 'v'.repeat(size) } })
const queryOf = (address: string) => Object.fromEntries(new URL(address, 'https://x.example').searchParams)
const done = (event?: string, size?: number) =>
  queryOf(addressOf(context, COOKIE, { to: '/people/bob', done: 'person_disabled', undo: undo(size) }, event))

t.test('it says what was done, with its event, and how it is taken back', async (t) => {
  const told = readNotice(context, COOKIE, done('1700000000000-0'))
  t.match(told, { text: /is disabled/, event: '1700000000000-0', undo: undo() })
  t.equal(readNotice(context, COOKIE, { done: 'nothing' }), undefined)
})

t.test('what takes it back counts in its session, for ten minutes', async (t) => {
  const query = done()
  t.equal(readNotice(context, 'b'.repeat(43), query)?.undo, undefined, 'another session')
  t.equal(readNotice(context, COOKIE, { ...query, undo: 'x' })?.undo, undefined, 'not sealed here')
  now = START + 599_999
  t.same(readNotice(context, COOKIE, query)?.undo, undo())
  now = START + 600_000
  t.equal(readNotice(context, COOKIE, query)?.undo, undefined)
  now = START
})

t.test('what does not fit into an address is left out', async (t) => {
  t.ok('undo' in done(undefined, 1000))
  t.notOk('undo' in done(undefined, 4000))
})

t.test('the id of an event is one', async (t) => {
  for (const entry of ['x', '1-1"><b>', '1-', `${'1'.repeat(16)}-1`])
    t.equal(readNotice(context, COOKIE, { done: 'person_disabled', entry })?.event, undefined, entry)
})
