import t from 'tap'
import { FairQueue } from '../../../../src/users/fair-queue.ts'

const LIMITS = { all: 100, per_address: 25, per_user: 10 }

/** Adds entries `<address> <user> <number>`. Returns how many were accepted. */
function addTo(queue: FairQueue<string>, address: string, user: string, count: number): number {
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  return numbers.filter((number) => queue.add(`${address} ${user} ${number}`, { address, user })).length
}

function drain(queue: FairQueue<string>): string[] {
  const entries: string[] = []
  for (let entry = queue.next(); entry !== undefined; entry = queue.next()) entries.push(entry)
  return entries
}

t.test('addresses take turns, and the users of an address', (t) => {
  const queue = new FairQueue<string>(LIMITS)
  addTo(queue, 'A', 'eve', 3)
  addTo(queue, 'A', 'alice', 1)
  addTo(queue, 'B', 'bob', 2)
  t.strictSame(drain(queue), ['A eve 1', 'B bob 1', 'A alice 1', 'B bob 2', 'A eve 2', 'A eve 3'])
  t.strictSame(drain(queue), [])
  t.end()
})

t.test('after a turn, an address and a user go to the end of the line', (t) => {
  const queue = new FairQueue<string>(LIMITS)
  addTo(queue, 'A', 'eve', 2)
  t.equal(queue.next(), 'A eve 1')
  addTo(queue, 'B', 'bob', 1)
  addTo(queue, 'A', 'alice', 1)
  t.strictSame(drain(queue), ['A eve 2', 'B bob 1', 'A alice 1'])
  t.end()
})

t.test('a site of IPv6 has one turn, however many networks it has', (t) => {
  const queue = new FairQueue<string>(LIMITS)
  for (const network of ['1', '2', '3']) addTo(queue, `2001:db8:5:${network}::`, `user ${network}`, 1)
  addTo(queue, '2001:db8:6:1::', 'bob', 1)
  t.equal(drain(queue)[1], '2001:db8:6:1:: bob 1')
  t.end()
})

t.test('one user has ten places, from all addresses together', (t) => {
  const queue = new FairQueue<string>(LIMITS)
  t.equal(addTo(queue, 'A', 'eve', 8), 8)
  t.equal(addTo(queue, 'B', 'eve', 8), 2)
  t.equal(addTo(queue, 'C', 'eve', 1), 0)
  t.equal(addTo(queue, 'A', 'alice', 1), 1)
  queue.next()
  t.equal(addTo(queue, 'C', 'eve', 2), 1, 'a place that is free again')
  t.end()
})

t.test('one address has a quarter of the places, for all its users together', (t) => {
  const queue = new FairQueue<string>(LIMITS)
  for (const user of ['1', '2', '3']) addTo(queue, 'A', user, 10)
  t.equal(drain(queue).length, 25)
  for (const user of ['1', '2', '3']) addTo(queue, 'A', user, 10)
  t.equal(addTo(queue, 'A', 'alice', 1), 0)
  t.equal(addTo(queue, 'B', 'bob', 1), 1)
  t.end()
})

t.test('the queue is full when many have few entries each', (t) => {
  const queue = new FairQueue<string>(LIMITS)
  for (let number = 0; number < 100; number += 1) {
    t.equal(addTo(queue, `address ${number % 50}`, `user ${number}`, 1), 1)
  }
  t.equal(addTo(queue, 'B', 'bob', 1), 0)
  t.notOk(queue.add('an operator'), 'nor has an entry without an asker a place')
  t.equal(drain(queue).length, 100)
  t.equal(addTo(queue, 'B', 'bob', 1), 1)
  t.end()
})

t.test('entries without an asker have only the common limit', (t) => {
  const queue = new FairQueue<string>(LIMITS)
  for (let number = 0; number < 90; number += 1) t.ok(queue.add('an operator'))
  t.equal(addTo(queue, 'A', 'alice', 1), 1)
  t.equal(drain(queue)[1], 'A alice 1')
  t.end()
})
