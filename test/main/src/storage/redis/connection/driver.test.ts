import { Command } from 'ioredis'
import t from 'tap'
import { atEndOfTurn, GatheredCommand } from '../../../../../../src/storage/redis/connection/driver.ts'

/** A socket that notes what is done with it. */
function socket() {
  const calls: string[] = []
  return {
    calls,
    writableLength: 0,
    bytesRead: 1000,
    cork: () => calls.push('cork'),
    uncork: () => calls.push('uncork'),
    destroy: ({ message }: Error) => calls.push(`destroy: ${message}`),
  }
}

t.test('the commands of a turn of the event loop leave together, on each connection', async (t) => {
  const [one, other] = [socket(), socket()]
  const send = (to: typeof one) => new GatheredCommand('hgetall', ['key']).toWritable(to)
  for (const round of [1, 2]) {
    for (const to of [one, other, one, one, other]) {
      t.equal(send(to), '*2\r\n$7\r\nhgetall\r\n$3\r\nkey\r\n', 'the text is that of the driver')
    }
    for (const { calls } of [one, other]) t.equal(calls.filter((call) => call === 'cork').length, round)
    await new Promise(setImmediate)
    const turns = Array.from({ length: round }, () => ['cork', 'uncork']).flat()
    for (const { calls } of [one, other]) t.strictSame(calls, turns, `turn ${round}`)
  }
})

t.test('what is sent at the end of a turn leaves with the other commands of the turn', async (t) => {
  const to = socket()
  const send = () => new GatheredCommand('hgetall', ['key']).toWritable(to)
  for (const round of [1, 2]) {
    atEndOfTurn(() => {
      t.equal(to.calls.filter((call) => call === 'cork').length, round)
      send()
    })
    send()
    t.equal(to.calls.length, 2 * round - 1)
    await new Promise(setImmediate)
    t.strictSame(to.calls, Array.from({ length: round }, () => ['cork', 'uncork']).flat())
  }
  atEndOfTurn(send)
  await new Promise(setImmediate)
  t.equal(to.calls.length, 6, 'without another command it leaves alone')
})

t.test('a command has the text that the driver gives it', async (t) => {
  const args = ['key', '', 'käse', 'x'.repeat(255), 'x'.repeat(256), '\u{1f511}'.repeat(70_000)]
  const text = new GatheredCommand('evalsha', args).toWritable(socket())
  t.equal(text, new Command('evalsha', args).toWritable(socket()))
})

t.test('a burst is written when 32 KiB are held back', async (t) => {
  const to = socket()
  const send = () => new GatheredCommand('hgetall', ['key']).toWritable(to)
  send()
  to.writableLength = 32 * 1024
  send()
  t.strictSame(to.calls, ['cork'])
  to.writableLength++
  send()
  t.strictSame(to.calls, ['cork', 'uncork', 'cork'])
  await new Promise(setImmediate)
  t.strictSame(to.calls, ['cork', 'uncork', 'cork', 'uncork'])
})

t.test('without a reply in time, a connection that received nothing since is closed', async (t) => {
  const to = socket()
  const command = new GatheredCommand('hgetall', ['key'])
  command.toWritable(to)
  command.expire()
  await new Promise(setImmediate)
  t.strictSame(to.calls, ['cork', 'destroy: Socket timed out', 'uncork'])
  t.notOk(command.isSettled, 'the driver rejects it when it has left the connection')
})

t.test(
  'without a reply in time, a command fails alone where others got theirs, or if it was not sent',
  async (t) => {
    const to = socket()
    const [late, unsent] = [1, 2].map(() => new GatheredCommand('hgetall', ['key']))
    late?.toWritable(to)
    to.bytesRead += 5
    for (const command of [late, unsent]) {
      command?.expire()
      await t.rejects(command?.promise ?? Promise.resolve(), { message: 'Command timed out' })
    }
    t.notOk(to.calls.some((call) => call.startsWith('destroy')))
  },
)
