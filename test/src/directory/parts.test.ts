// Suite: unit
// The forms of filters, names, ids and messages of a directory, and its connections that are used again.
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import t from 'tap'
import { DIRECTORY_LINKS } from '../../../src/accounts/user-fields.ts'
import type { Connection } from '../../../src/directory/connection.ts'
import { idOf, idValue, isDisabled, readEntry, textsOf } from '../../../src/directory/entry.ts'
import { DirectoryFailure } from '../../../src/directory/failure.ts'
import { escapeValue, filterOf, filterOfId } from '../../../src/directory/filters.ts'
import { groupNames, groupOfDn } from '../../../src/directory/groups.ts'
import { MAX_ANSWER, MessageStream, messageSize } from '../../../src/directory/message-stream.ts'
import { type PersonSettings, personOf } from '../../../src/directory/person.ts'
import { Pool } from '../../../src/directory/pool.ts'

t.test('a value has no meaning in a filter (RFC 4515 §3)', async (t) => {
  t.equal(escapeValue('a*(b)\\c\0'), 'a\\2a\\28b\\29\\5cc\\00')
  t.equal(escapeValue('Müller 中'), 'Müller 中', 'the library writes UTF-8')
  t.equal(
    String(filterOf('(&(a=b)(|(uid={username})(mail={username})))', { username: '*' })),
    '(&(a=b)(|(uid=\\2a)(mail=\\2a)))',
  )
  t.equal(
    String(filterOf('(uid={username})', { username: '$&{username}' })),
    '(uid=$&{username})',
    'it is put in once',
  )
  t.equal(String(filterOf('(x={other})', { username: 'a' })), '(x={other})')
  for (const malformed of ['(uid={username}', '(&)', 'uid', '((uid={username}))'])
    t.throws(() => filterOf(malformed, { username: 'a' }), malformed)
  const by_id = filterOfId('(&(a=b)(uid={username}))', 'objectGUID', Buffer.of(0, 0x2a, 0xff))
  t.equal(String(by_id), '(&(&(a=b)(uid=*))(objectGUID=\\00\\2a\\ff))')
})

t.test('an id is one, and of the form of its attribute', async (t) => {
  const entry = (attributes: Record<string, string | Buffer | string[]>) =>
    readEntry({ dn: 'cn=x', ...attributes })
  t.equal(idOf(entry({ ENTRYuuid: 'ABC-1' }), 'entryUUID')?.text, 'abc-1')
  for (const value of ['', 'a b', 'ä', 'x'.repeat(129), ['a', 'b'], Buffer.of(0xff)])
    t.equal(idOf(entry({ entryUUID: value }), 'entryUUID'), undefined, String(value))
  t.equal(idOf(entry({}), 'entryUUID'), undefined)
  const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
  const text = '33221100-5544-7766-8899-aabbccddeeff'
  t.equal(idOf(entry({ objectGUID: guid }), 'objectguid')?.text, text)
  t.same(idValue(text, 'objectGUID'), guid)
  t.equal(idOf(entry({ objectGUID: guid.subarray(1) }), 'objectGUID'), undefined)
})

t.test('an entry is disabled by bit 2 of userAccountControl', async (t) => {
  const of = (userAccountControl: string) => isDisabled(readEntry({ dn: '', userAccountControl }))
  t.same(['2', '514', '66050'].map(of), [true, true, true])
  t.same(['512', '66048', '0', 'x', ''].map(of), [false, false, false, false, false])
  t.same(textsOf(readEntry({ dn: '', cn: ['a', ' ', '\ud800', 'b'] }), 'CN'), ['a', 'b'])
})

t.test('of a person is taken over what each claim can have', async (t) => {
  const settings = {
    ldap_id_attribute: 'entryUUID',
    ldap_username_attribute: 'uid',
    ldap_claims: 'name=cn;nickname=none;email=mail;a=none;b=title;c=staff;d=phones',
    groups_claim: 'groups',
  } as const
  const attributes = { cn: 'Carol', title: 'x'.repeat(5000), staff: '7', phones: ['1', '2'], mail: 'none' }
  const person = (more: object) =>
    personOf(settings as PersonSettings, readEntry({ dn: 'cn=x', ...attributes, ...more }), undefined)
  t.strictSame(person({ entryUUID: 'E-1' }), {
    link: `${DIRECTORY_LINKS}#e-1`,
    username: undefined,
    email: undefined,
    fields: { name: 'Carol', 'claim:c': '"7"', 'claim:d': '["1","2"]' },
  })
  t.equal(person({ entryUUID: 'E-1', uid: '\uff43arol' })?.username, 'carol')
  t.equal(person({}), undefined)
})

t.test('a group is called by the first attribute of its DN (RFC 4514 §2.4)', async (t) => {
  const named = (dn: string) => groupOfDn(dn).name
  t.equal(named('cn=admins,ou=groups'), 'admins')
  t.equal(named('CN=A\\, B\\2B \\c3\\a4+x=y,ou=groups'), 'A, B+ ä')
  t.equal(named('nothing'), '')
  const groups = ['cn=a,ou=x', 'cn=a,ou=y', 'cn=b,ou=x', ''].map(groupOfDn)
  t.same(groupNames(groups, undefined), ['a', 'b'])
  t.same(groupNames(groups, 'one=CN=A, OU=X;two=B;three=cn=b,ou=y;four=c'), ['one', 'two'])
})

t.test('the length of a message is known by its first bytes, and bounded', async (t) => {
  const size = (hex: string) => messageSize(Buffer.from(hex, 'hex'))
  t.equal(size('300c'), 14)
  t.equal(size('308201f4'), 504)
  t.equal(size('308400000005'), 11)
  for (const short of ['30', '3082', '308201']) t.equal(size(short), undefined, short)
  for (const malformed of [
    '3080',
    '3085',
    '31',
    '48',
    '3084ffffffff',
    `3083${(MAX_ANSWER + 1).toString(16)}`,
  ])
    t.equal(size(malformed), 'malformed', malformed)
})

t.test('readers get one whole message at a time, wherever the pieces of it end', async (t) => {
  const long = Buffer.concat([Buffer.from('308201f4020102648201ec', 'hex'), Buffer.alloc(493, 1)])
  const messages = [Buffer.from('30050201016400', 'hex'), long, Buffer.from('30050201036400', 'hex')]
  const all = Buffer.concat(messages)
  for (const size of [1, 2, 7, 506, all.length]) {
    const socket = new Duplex({ read() {} })
    const stream = new MessageStream(socket as unknown as Socket)
    stream.expectAnswer('search')
    for (let at = 0; at < all.length; at += size) socket.emit('data', all.subarray(at, at + size))
    const read = messages.map(() => stream.read())
    t.same(read, messages, `pieces of ${size} bytes`)
    t.equal(stream.read(), null)
    socket.emit('data', Buffer.from('31'))
    t.ok(stream.destroyed && socket.destroyed)
  }
})

t.test('a connection is used again, and what ended meanwhile is asked once more', async (t) => {
  const opened: { is_open: boolean; closed: number }[] = []
  const pool = new Pool(async () => {
    const made = {
      is_open: true,
      closed: 0,
      keepsProcess() {},
      close() {
        made.is_open = false
        made.closed += 1
      },
    }
    opened.push(made)
    return made as unknown as Connection
  })
  await pool.use(async () => {})
  await pool.use(async () => {})
  t.equal(opened.length, 1)
  const failing = (problem: 'closed' | 'silent') => {
    let asked = 0
    const work = async (connection: Connection) => {
      asked += 1
      if (asked > 1) return asked
      connection.close()
      throw new DirectoryFailure(problem)
    }
    return { work, asked: () => asked }
  }
  t.equal(await pool.use(failing('closed').work), 2, 'on a new connection')
  t.equal(opened.length, 2)
  const silent = failing('silent')
  await t.rejects(pool.use(silent.work), /silent/)
  t.equal(silent.asked(), 1, 'who does not answer is not asked again')
  const fresh = failing('closed')
  await t.rejects(pool.use(fresh.work), /closed/)
  t.equal(fresh.asked(), 1, 'a new connection that is closed')

  opened.length = 0
  let go = () => {}
  const together = new Promise<void>((resolve) => {
    go = resolve
  })
  const uses = Array.from({ length: 10 }, () => pool.use(() => together))
  go()
  await Promise.all(uses)
  t.equal(opened.length, 10)
  t.equal(opened.filter(({ is_open }) => is_open).length, 8, 'no more are kept')
  pool.close()
  t.same(
    opened.map(({ closed }) => closed),
    opened.map(() => 1),
  )
})
