// A directory that hangs, resets, is away or says too much.
import { createServer } from 'node:net'
import { EqualityFilter } from 'ldapts'
import t from 'tap'
import { Connection } from '../../../../src/directory/connection.ts'
import { examineDirectory } from '../../../../src/directory/examine.ts'
import { DirectoryFailure } from '../../../../src/directory/failure.ts'
import { filterOf } from '../../../../src/directory/filters.ts'
import { MAX_ANSWER } from '../../../../src/directory/message-stream.ts'
import { en } from '../../../../src/pages/messages/en.ts'
import { PASSWORD } from '../../../support/accounts.ts'
import {
  type Instead,
  personNamed,
  resultOf,
  startFakeDirectory,
} from '../../../support/directory/fake-directory.ts'
import { OWN, optionsOf } from '../../../support/directory/settings.ts'
import { freePort } from '../../../support/process.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { scene } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const SAID = en.messages
/** In milliseconds: so short that a test does not wait. */
const SHORT = { connect: 200, answer: 200 }

/** The directory as it was said to behave. */
type Behaviour = { now?: Instead }

t.test('a directory that hangs, resets or refuses is said in words, and counts as no failure', async (t) => {
  const instead: Behaviour = {}
  const { settings, cut } = await startFakeDirectory(t, [personNamed('carol')], instead)
  const { signIn, pass, log } = await scene(t, {
    ...settings,
    sign_in_failures: 1,
    directory_timing: SHORT,
  })
  const faults: Record<string, Instead> = {
    'hangs at the search': ({ ask }) => ask === 'search',
    'hangs at the bind': ({ ask }) => ask === 'bind',
    resets: (_, socket) => socket.destroy() !== undefined,
    'is busy': (_, socket, id) => socket.write(resultOf(id, 0x65, 51)),
    'is elsewhere': (_, socket, id) => socket.write(resultOf(id, 0x65, 10)),
    'does not speak LDAP': (_, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
  }
  for (const [fault, now] of Object.entries(faults)) {
    instead.now = now
    for (const password of ['password of carol', 'wrong']) {
      const page = asPage(await signIn('carol', password))
      t.match(page, { status: 503, title: SAID.error_directory_away_title }, fault)
      t.match(page.headers['retry-after'], /^\d+$/)
      pass(3)
    }
  }
  delete instead.now
  t.ok('location' in (await signIn('carol', 'password of carol')), 'nobody is locked out')
  cut()
  t.ok(
    'location' in (await signIn('carol', 'password of carol')),
    'a connection that ended meanwhile is none',
  )
  t.notMatch(log.join('\n'), /what the directory says itself|password of carol/)
})

t.test('a directory that is away is asked again after a moment, and not by each who waits', async (t) => {
  const port = await freePort()
  const { settings } = await startFakeDirectory(t, [])
  const away = { ...settings, ldap_url: `ldap://127.0.0.1:${port}`, directory_timing: SHORT }
  const { signIn, pass } = await scene(t, away)
  t.equal(asPage(await signIn('carol', 'x')).status, 503)
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  t.teardown(() => new Promise((resolve) => server.close(resolve)))
  t.equal(asPage(await signIn('carol', 'x')).status, 503)
  t.equal(connections, 0, 'it is left alone')
  pass(3)
  t.equal(asPage(await signIn('carol', 'x')).status, 503)
  t.equal(connections, 1)
})

t.test('who waits for a directory that hangs holds no password sign-in up, and has a limit', async (t) => {
  const held: (() => void)[] = []
  const instead: Behaviour = {
    now: (_, socket, id) => {
      held.push(() => socket.write(resultOf(id, 0x65, 0)))
      return true
    },
  }
  const { settings } = await startFakeDirectory(t, [], instead)
  const { visitor, signIn } = await scene(t, {
    ...settings,
    sign_in: 'password,directory',
    sign_in_failures: 1000,
  })
  const page = async (username: string) => {
    const browser = visitor()
    const found = await browser.page(OWN)
    return () => browser.submit(found, { username, password: 'x', method: 'directory' })
  }
  const sends = await Promise.all(Array.from({ length: 40 }, (_, i) => page(`u${i}`)))
  const waiting = sends.map((send) => send())
  await until('the places are taken', () => held.length === 8)
  t.ok('location' in (await signIn('alice', PASSWORD)), 'a password of redmint is judged meanwhile')
  t.equal(held.length, 8, 'no more are asked for at the same time')
  // One address has 25 of the places to wait in.
  const refused = await Promise.all(waiting.slice(33))
  t.same(new Set(refused.map((one) => asPage(one).status)), new Set([503]))
  delete instead.now
  for (const go of held) go()
  const answered = await Promise.all(waiting.slice(0, 33))
  t.same(new Set(answered.map((one) => alertOn(asPage(one)))), new Set([SAID.login_failed]))
})

t.test('an answer of any length is read no further than its bound', async (t) => {
  const flood = Buffer.from('30050201007300', 'hex')
  const instead: Behaviour = {}
  const { port } = await startFakeDirectory(t, [], instead)
  const server = { host: '127.0.0.1', port, tls: 'none' } as const
  // An entry of nobody's question, which is short enough by itself.
  const name = element(0x04, Buffer.alloc(39_000, 'a'))
  const entry = element(0x30, Buffer.from('020164', 'hex'), element(0x64, name, element(0x30)))
  const answers: Record<string, (id: number) => Buffer> = {
    'many short messages': (id) => Buffer.concat(Array.from({ length: 50_000 }, () => numbered(flood, id))),
    'one long message': (id) => Buffer.concat([Buffer.from('30840fffffff', 'hex'), Buffer.of(2, 1, id)]),
    'ten megabytes': () => Buffer.concat([Buffer.from('30830ffff0', 'hex'), Buffer.alloc(10 * MAX_ANSWER)]),
    'many long messages': (id) => Buffer.concat([...Array(40).fill(entry), resultOf(id, 0x65, 0)]),
    'a length without end': () => Buffer.from('3080', 'hex'),
  }
  for (const [what, answer] of Object.entries(answers)) {
    instead.now = (_, socket, id) => socket.write(answer(id)) || true
    const connection = await Connection.open(server)
    await t.rejects(connection.search(NOBODY), /malformed/, what)
    t.notOk(connection.is_open)
  }
  instead.now = (_, socket, id) =>
    socket.write(Buffer.concat([...Array(20).fill(entry), resultOf(id, 0x65, 0)])) || true
  t.same(await (await Connection.open(server)).search(NOBODY), [], 'below the bound')
})

t.test('nobody is let in by anything but a result of the bind (RFC 4511 §4.2.2)', async (t) => {
  const instead: Behaviour = {}
  const { port } = await startFakeDirectory(t, [], instead)
  const answers: Record<string, (id: number) => Buffer> = {
    'without an operation': (id) => Buffer.of(0x30, 3, 2, 1, id),
    'without an end': (id) => Buffer.of(0x30, 5, 2, 1, id, 0x61, 9),
    'longer than its message': (id) => Buffer.of(0x30, 8, 2, 1, id, 0x61, 9, 10, 1, 0),
    'without a code': (id) => element(0x30, Buffer.of(2, 1, id), element(0x61)),
    'with an empty code': (id) =>
      element(0x30, Buffer.of(2, 1, id), element(0x61, Buffer.of(10, 0, 4, 0, 4, 0))),
    'with another type of code': (id) =>
      element(0x30, Buffer.of(2, 1, id), element(0x61, Buffer.of(4, 1, 0, 4, 0, 4, 0))),
    'with another type of id': (id) =>
      element(0x30, Buffer.of(4, 1, id), element(0x61, Buffer.of(10, 1, 0, 4, 0, 4, 0))),
    'of a search': (id) => resultOf(id, 0x65, 0),
    'of an extended operation': (id) => resultOf(id, 0x78, 0),
    'of a change': (id) => resultOf(id, 0x67, 0),
  }
  for (const [what, answer] of Object.entries(answers)) {
    instead.now = (_, socket, id) => socket.write(answer(id)) || true
    const connection = await Connection.open({ host: '127.0.0.1', port, tls: 'none' })
    await t.rejects(connection.bind('cn=x', 'x'), /malformed/, what)
    t.notOk(connection.is_open)
  }
  // A message of the right operation that the library cannot read.
  instead.now = (_, socket, id) =>
    socket.write(element(0x30, Buffer.of(2, 1, id), element(0x64, Buffer.of(1, 1, 0)))) || true
  const searching = await Connection.open({ host: '127.0.0.1', port, tls: 'none' })
  const filter = filterOf('(uid=x)', {})
  const search = searching.search({ base: 'cn=x', filter, attributes: ['uid'], max: 1 })
  await t.rejects(search, /malformed/, 'an entry that is none')
  t.notOk(searching.is_open)
  // What it says unasked is no answer (RFC 4511 §4.4).
  instead.now = (_, socket, id) =>
    socket.write(Buffer.concat([resultOf(0, 0x78, 52), resultOf(id, 0x61, 0)])) || true
  const connection = await Connection.open({ host: '127.0.0.1', port, tls: 'none' })
  t.ok(await connection.bind('cn=x', 'x'))
})

t.test('a mistake of redmint is not said to be one of the directory', async (t) => {
  const { settings } = await startFakeDirectory(t, [])
  const options = await optionsOf(settings)
  const malformed = { ...options.settings, ldap_user_filter: '(' }
  const examining = examineDirectory({ ...options, settings: malformed as never }, 'x')
  const failure = await examining.then(
    () => undefined,
    (error: unknown) => error,
  )
  t.ok(failure instanceof Error && !(failure instanceof DirectoryFailure))
})

t.test('a password is never sent again by a connection that ended', async (t) => {
  const { port, cut, asked, forget } = await startFakeDirectory(t, [personNamed('carol')])
  const connection = await Connection.open({ host: '127.0.0.1', port, tls: 'none' })
  t.ok(await connection.bind(personNamed('carol').dn, 'password of carol'))
  await t.rejects(connection.bind('cn=x', ''), /unauthenticated/)
  await t.rejects(connection.bind('', 'password of carol'), /unauthenticated/)
  cut()
  await until('it is closed', () => !connection.is_open)
  forget()
  await t.rejects(connection.bind(personNamed('carol').dn, 'password of carol'), { name: 'DirectoryFailure' })
  t.same(asked(), [], 'the library does not connect anew')
})

t.test('StartTLS: nothing is believed that was said before TLS (RFC 4511 §4.14)', async (t) => {
  const yes = resultOf(1, 0x78, 0)
  const answers: Record<string, Buffer> = {
    'it refuses': resultOf(1, 0x78, 52),
    'it says more': Buffer.concat([yes, resultOf(2, 0x61, 0)]),
    'it answers something else': resultOf(1, 0x61, 0),
    'it speaks no LDAP': Buffer.from('220 ready\r\n'),
    'it says too much': Buffer.concat([Buffer.from('3082ffff', 'hex'), Buffer.alloc(5000)]),
  }
  for (const [what, answer] of Object.entries(answers)) {
    const { port, asked } = await startFakeDirectory(t, [], {
      now: (_, socket) => socket.write(answer) || true,
    })
    const open = Connection.open({ host: '127.0.0.1', port, tls: 'starttls' })
    await t.rejects(open, /starttls/, what)
    t.same(asked(), ['other'], 'no name and no password')
  }
})

t.test('a directory that ends or says nothing before TLS is named as that', async (t) => {
  const yes = resultOf(1, 0x78, 0)
  const faults: Record<string, [now: Instead, problem: RegExp]> = {
    'it goes away': [(_, socket) => socket.destroy() !== undefined, /closed/],
    'it goes away after its yes': [
      (_, socket) => {
        socket.write(yes.subarray(0, 1))
        setImmediate(() => socket.write(yes.subarray(1)))
        return socket.once('data', () => socket.destroy()) !== undefined
      },
      /closed/,
    ],
    'it says nothing': [() => true, /silent/],
  }
  for (const [what, [now, problem]] of Object.entries(faults)) {
    const { port } = await startFakeDirectory(t, [], { now })
    const timing = what === 'it says nothing' ? SHORT : undefined
    await t.rejects(Connection.open({ host: '127.0.0.1', port, tls: 'starttls' }, timing), problem, what)
  }
  const { port, asked } = await startFakeDirectory(t, [])
  await t.rejects(Connection.open({ host: '127.0.0.1', port, tls: 'implicit' }, SHORT), /silent/)
  t.same(asked(), [], 'nothing is asked without TLS')
  const away = { host: '127.0.0.1', port: await freePort(), tls: 'none' } as const
  await t.rejects(Connection.open(away), /unreachable: ECONNREFUSED/)
})

t.test('a directory that stops answering is named as that', async (t) => {
  const { port } = await startFakeDirectory(t, [], { now: () => true })
  const connection = await Connection.open(
    { host: '127.0.0.1', port, tls: 'none' },
    { ...SHORT, connect: 60_000 },
  )
  await t.rejects(connection.bind('cn=x', 'x'), /silent/)
  t.notOk(connection.is_open)
})

const NOBODY = {
  base: 'dc=x',
  filter: new EqualityFilter({ attribute: 'a', value: 'b' }),
  attributes: [],
  max: 2,
}

/** An element of BER, whose length has two bytes. */
function element(tag: number, ...content: Buffer[]): Buffer {
  const all = Buffer.concat(content)
  return Buffer.concat([Buffer.of(tag, 0x82, all.length >> 8, all.length & 0xff), all])
}

function numbered(message: Buffer, id: number): Buffer {
  const copy = Buffer.from(message)
  copy[4] = id
  return copy
}
