// When commands without a reply expire: after so many ticks, however long they take.

import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import t from 'tap'
import {
  ReplyDeadlines,
  type Waiting,
} from '../../../../../../src/storage/redis/connection/reply-deadlines.ts'

const TIMEOUT = 600
/** Ticks of 50 ms. */
const TICKS = 12

/** Deadlines whose ticks the test makes, and the names of the commands that expired. */
function start() {
  const expired: string[] = []
  let tick: (() => void) | undefined
  const deadlines = new ReplyDeadlines(TIMEOUT, (given) => {
    tick = given
    return () => {
      tick = undefined
    }
  })
  const send = (name: string) => {
    const command: Waiting & { isSettled: boolean } = {
      isSettled: false,
      expire() {
        this.isSettled = true
        expired.push(name)
      },
    }
    deadlines.add(command)
    return command
  }
  return {
    deadlines,
    send,
    expired,
    isTicking: () => tick !== undefined,
    ticks(count: number) {
      for (let i = 0; i < count; i++) tick?.()
    },
  }
}

t.test('a command expires once, at the tick of its deadline, and younger ones wait', async (t) => {
  const { send, expired, ticks, isTicking } = start()
  send('one')
  send('two')
  ticks(1)
  send('three')
  ticks(TICKS - 2)
  t.strictSame(expired, [])
  ticks(1)
  t.strictSame(expired, ['one', 'two'])
  ticks(1)
  t.strictSame(expired, ['one', 'two', 'three'])
  t.notOk(isTicking(), 'nothing waits')
  send('four')
  t.ok(isTicking())
  ticks(TICKS)
  t.strictSame(expired, ['one', 'two', 'three', 'four'])
})

t.test('a settled command does not expire, wherever it is among the others', async (t) => {
  const { send, expired, ticks, isTicking } = start()
  const commands = ['one', 'two', 'three', 'four', 'five'].map(send)
  for (const index of [0, 2, 4]) Object.assign(commands[index] ?? {}, { isSettled: true })
  ticks(TICKS)
  t.strictSame(expired, ['two', 'four'])
  send('six').isSettled = true
  ticks(1)
  t.notOk(isTicking(), 'nothing waits')
})

t.test('a command that is sent again keeps its deadline', async (t) => {
  const { deadlines, send, expired, ticks } = start()
  const command = send('one')
  ticks(TICKS - 1)
  deadlines.add(command)
  ticks(1)
  t.strictSame(expired, ['one'])
})

t.test('a command that was settled keeps no other one in memory', async (t) => {
  const { send } = start()
  const [one, two] = [send('one'), send('two')]
  t.equal(one.next, two)
  one.isSettled = true
  send('three')
  t.equal(one.next, undefined)
})

t.test('a reply that has arrived is read before a tick counts', async (t) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const client = connect(port, '127.0.0.1')
  const [peer] = (await once(server, 'connection')) as [Socket]
  t.teardown(() => peer.destroy())
  t.teardown(() => client.destroy())

  const command = { isSettled: false, expire: () => t.fail('it expired') }
  const replied = once(client, 'data').then(() => {
    command.isSettled = true
  })
  const deadlines = new ReplyDeadlines(50)
  deadlines.add(command)
  peer.write('reply')
  // The timer of the tick is due when this turn of the event loop is over.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  await replied
  await new Promise(setImmediate)
  t.ok(command.isSettled)
})
