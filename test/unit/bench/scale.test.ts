// Who has how much in the run of a large installation, and what that run says before it begins.
import t from 'tap'
import { replaceMarked } from '../../../bench/markers.ts'
import { readScale, scaleParts } from '../../../bench/scale/page.ts'
import {
  assertFits,
  clientOfGrant,
  firstGrantOf,
  grantsOfPerson,
  neededMemory,
  readOptions,
  sharesOf,
} from '../../../bench/scale/sizes.ts'
import { command, Template } from '../../../bench/scale/wire.ts'
import { readText } from '../../support/markdown.ts'

const FULL = { people: 1_000_000, clients: 100_000, grants: 10_000_000 }

t.test('the full size is the default, and needs less than 15 GB', async (t) => {
  t.same(readOptions([]).sizes, FULL)
  t.ok(neededMemory(FULL) < 15e9, String(neededMemory(FULL)))
  assertFits(FULL, 15e9)
  t.throws(() => assertFits(FULL, 8e9), /needs 1\d\.\d GB of memory, and 8\.0 GB are free/)
})

t.test('sizes that are none are refused', async (t) => {
  for (const [flag, size] of [
    ['--people', '5'],
    ['--clients', 'many'],
    ['--grants', '1000'],
  ] as const)
    t.throws(() => readOptions([flag, size]), new RegExp(`^${flag}|Error: ${flag}`))
})

t.test('each grant has a number of its own', async (t) => {
  const sizes = { people: 300, clients: 20, grants: 3000 }
  const shares = sharesOf(sizes)
  let next = 0
  const of_clients = new Map<number, number>()
  for (let person = 0; person < sizes.people; person++) {
    if (firstGrantOf(person, shares) !== next) t.fail(`the first grant of person ${person} is not ${next}`)
    const count = grantsOfPerson(person, shares)
    for (let place = 0; place < count; place++) {
      const client = clientOfGrant(person, place, shares, sizes.clients)
      of_clients.set(client, (of_clients.get(client) ?? 0) + 1)
    }
    next += count
  }
  t.equal(next, shares.grants)
  t.same(
    [0, 1, 2].map((client) => of_clients.get(client)),
    shares.of_clients,
  )
  t.ok([...of_clients.keys()].every((client) => client < sizes.clients))
})

t.test('the full size has the people and clients that are measured', async (t) => {
  const { of_clients, of_holder, sessions, grants } = sharesOf(FULL)
  t.same(
    { of_clients, of_holder, sessions },
    { of_clients: [140_000, 10_000, 6], of_holder: 10_000, sessions: 1000 },
  )
  t.ok(Math.abs(grants / FULL.grants - 1) < 0.11)
})

t.test('commands count bytes, and a template puts others in place', async (t) => {
  t.equal(command('SET', 'ä', '1'), '*3\r\n$3\r\nSET\r\n$2\r\nä\r\n$1\r\n1\r\n')
  const template = new Template('a AA and BB, again AA', ['AA', 'BB'])
  t.equal(template.fill(['11', '22']), 'a 11 and 22, again 11')
})

t.test('the page is made of the results', async (t) => {
  const page = await readText('docs/capacity.md')
  for (const [name, text] of Object.entries(scaleParts(readScale())))
    t.ok(replaceMarked(page, name, text) === page, name)
})
