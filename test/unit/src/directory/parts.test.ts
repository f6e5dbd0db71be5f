// The forms of filters, names, ids and messages of a directory, and its connections that are used again.
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import t from 'tap'
import type { Connection } from '../../../../src/directory/connection.ts'
import { dnForm } from '../../../../src/directory/dn.ts'
import { idOf, idValue, readEntry, textsOf } from '../../../../src/directory/entry.ts'
import { DirectoryFailure } from '../../../../src/directory/failure.ts'
import { escapeValue, filterOf, filterOfId } from '../../../../src/directory/filters.ts'
import { groupNames, groupOfDn } from '../../../../src/directory/groups.ts'
import { isLocked } from '../../../../src/directory/locks.ts'
import { MAX_ANSWER, MessageStream, messageSize } from '../../../../src/directory/message-stream.ts'
import { type PersonSettings, personOf } from '../../../../src/directory/person.ts'
import { Pool } from '../../../../src/directory/pool.ts'
import { DIRECTORY_LINKS } from '../../../../src/users/user-fields.ts'

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

t.test('an entry is locked by what its directory has for that', async (t) => {
  const now = Date.UTC(2026, 10, 28, 12)
  const since_1601 = (time: number) => String((time + 11_644_473_600_000) * 10_000)
  for (const [attribute, locking, others] of [
    ['userAccountControl', ['2', '514', '66050'], ['512', '66048', '0', 'x']],
    [
      'accountExpires',
      [since_1601(now), since_1601(0)],
      ['0', '9223372036854775807', since_1601(now + 1000), 'x'],
    ],
    ['nsAccountLock', ['TRUE', 'true'], ['FALSE', 'x']],
    ['NSACCOUNTLOCK', ['TRUE'], ['FALSE']],
    ['pwdAccountLockedTime', ['000001010000Z'], ['20261128115900Z']],
    ['ds-pwp-account-disabled', ['true'], ['false']],
    ['loginDisabled', ['TRUE'], ['FALSE']],
    ...['krbPrincipalExpiration', 'pwdEndTime', 'ds-pwp-account-expiration-time', 'loginExpirationTime'].map(
      (name) =>
        [
          name,
          ['20261128120000Z', '20261128115959.5Z', '2026112812Z', '20261128130000+0100', 'soon'],
          ['20261128120001Z', '202611281201Z', '20261128120001-0000', '20370101000000Z'],
        ] as const,
    ),
  ] as const) {
    const of = (value: string) => isLocked(readEntry({ dn: 'cn=x', [attribute]: value }), now)
    for (const value of locking) t.ok(of(value), `${attribute} ${value}`)
    for (const value of others) t.notOk(of(value), `${attribute} ${value}`)
  }
  t.notOk(isLocked(readEntry({ dn: 'cn=x', cn: 'x' }), now))
})

t.test('an entry has texts, all of its values, and a name', async (t) => {
  t.same(textsOf(readEntry({ dn: 'cn=x', cn: ['a', ' ', '\ud800', 'b'] }), 'CN'), ['a', 'b'])
  t.throws(
    () => readEntry({ dn: 'cn=x', memberOf: [], 'memberOf;range=0-1499': ['cn=a', 'cn=b'] }),
    new DirectoryFailure('partial', 'memberOf'),
    'the first ones of many values are not taken for all',
  )
  for (const dn of ['', ['cn=x'] as unknown as string])
    t.throws(() => readEntry({ dn, cn: 'x' }), new DirectoryFailure('malformed'))
})

t.test('all spellings of a DN are one (RFC 4514 §2.4)', async (t) => {
  for (const same of [
    [
      'cn=Sales\\, West,dc=example,dc=com',
      'CN=sales\\2C West, DC=Example , dc=com',
      'cn=Sales\\2c  West,dc=example,dc=com',
    ],
    ['cn=M\\C3\\BCller,o=x', 'cn=Müller,o=x', 'cn=Mu\u0308ller,o=x', 'cn=M\\c3\\bcller,o=x'],
    ['cn=a\\+b,o=x', 'cn=a\\2bb,o=x', '2.5.4.3=a\\+b,2.5.4.10=x', 'cn=#0c03612b62,oid.2.5.4.10=x'],
    ['cn=a+sn=b,o=x', 'SN=b + CN=a,o=x'],
    ['cn=\\ a\\ ,o=x', 'cn=a,o=x'],
    ['x-own=1,o=x', 'X-OWN=1,o=x'],
  ]) {
    const forms = new Set(same.map((dn) => dnForm(dn)))
    t.equal(forms.size, 1, same.join(' | '))
    t.ok(!forms.has(undefined), same.join())
  }
  const different = ['cn=a,o=x', 'cn=a,o=y', 'cn=a', 'o=x,cn=a', 'cn=a+o=x', 'ou=a,o=x', 'cn=a\\,o=x']
  t.equal(new Set(different.map((dn) => dnForm(dn))).size, different.length)
  for (const malformed of [
    '',
    'a',
    'cn',
    '=a',
    'cn=a,',
    'cn=a,,o=x',
    'cn="a",o=x',
    'cn=a\\',
    'cn=#zz',
    'cn=#0c',
  ])
    t.equal(dnForm(malformed), malformed === 'cn=#zz' ? dnForm('cn=\\#zz') : undefined, malformed)
  const groups = [groupOfDn('cn=Sales\\2C West,dc=example,dc=com')]
  t.same(groupNames(groups, 'staff=cn=Sales\\, West,dc=example,dc=com'), ['staff'])
  t.same(groupNames(groups, 'staff=cn=Sales,dc=example,dc=com'), [])
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
