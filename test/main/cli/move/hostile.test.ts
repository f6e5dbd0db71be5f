// Files that are cut, changed, or written to do harm: each is refused with its line, and nothing is written.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { createCli } from '../../../support/cli/run-cli.ts'
import { createUser, readUser } from '../../../support/records.ts'

const ISSUER = 'https://auth.example.com'
const HEADER = { redmint_export: 1, issuer: ISSUER, passkey_host: 'auth.example.com', exported_at: 'now' }
const environment = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', ISSUER }
const user = (id: string, fields: object = {}) => ({
  kind: 'user',
  id,
  fields: { sub: `sub-${id}`, ...fields },
})
const end = (counts: object) => ({ end: true, counts })
const lines = (...values: unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n')

/** Imports a text into an empty installation, and expects that it is refused with nothing written. */
async function refused(t: Test, text: string | Buffer, flags: readonly string[] = []) {
  const { storage, redmint } = createCli({ environment })
  const file = join(t.testdir({ 'export.ndjson': text }), 'export.ndjson')
  const { code, stdout, stderr } = await redmint(['import', file, ...flags])
  t.equal(code === 1 || code === 2, true, stderr)
  t.equal(stdout, '')
  t.strictSame(await ids(storage), [])
  return stderr
}

async function ids({ records }: MemoryStorage | ReturnType<typeof createCli>['storage']): Promise<string[]> {
  const found: string[] = []
  for (const name of ['user', 'client', 'resource', 'issuer', 'factors', 'consent'])
    for await (const { id } of records.list({ name })) found.push(id)
  return found
}

t.test('what is no export', async (t) => {
  t.match(await refused(t, ''), /no export of redmint/)
  t.match(await refused(t, '[{"client_id":"a"}]'), /no export of redmint/)
  t.match(await refused(t, '\0\0\0'), /no export of redmint/)
  t.match(
    await refused(t, lines({ ...HEADER, redmint_export: 2 }, end({}))),
    /format 2, and this version.* reads 1/,
  )
  t.match(await refused(t, Buffer.from([0xff, 0xfe, 0x0a])), /Line 1 is not UTF-8/)
  t.match(await refused(t, lines({ ...HEADER, not_before: 'x' }, end({}))), /Line 1: not_before/)
})

t.test('a file that is cut, or goes on', async (t) => {
  t.match(await refused(t, lines(HEADER, user('a'))), /The file is cut: it has no end line/)
  t.match(await refused(t, lines(HEADER, user('a'), '{"kind":"user","id":"b","fie')), /The file is cut/)
  t.match(
    await refused(t, lines(HEADER, user('a'), end({ user: 2 }))),
    /not complete: line 3 counts 2 of the kind "user", and there are 1/,
  )
  t.match(await refused(t, lines(HEADER, user('a'), end({}))), /counts 0 of the kind "user", and there are 1/)
  t.match(
    await refused(t, lines(HEADER, user('a'), end({ user: 1, client: 1 }))),
    /counts 1 of the kind "client"/,
  )
  t.match(await refused(t, lines(HEADER, end({}), user('a'))), /Line 3 comes after the end/)
})

t.test('lines that are no records, each with its place', async (t) => {
  const secret = 'do-not-show-this'
  const bad: [unknown, RegExp][] = [
    ['{"kind":"user",', /line 2: record is not a record: its JSON cannot be parsed/],
    ['7', /line 2: record is not a record/],
    ['[]', /line 2: record is not a record/],
    ['null', /line 2: record is not a record/],
    [`{"kind":"user","id":"a","id":"b","fields":{}}`, /its JSON has the member "id" twice/],
    [
      `{"kind":"user","id":"a","fields":{"__proto__":"${secret}"}}`,
      /line 2: user "a" has fields that are not/,
    ],
    [
      `{"kind":"user","id":"a","fields":{"sub":"s"},"__proto__":{"x":"y"}}`,
      /the member "__proto__", which no record/,
    ],
    [{ kind: '__proto__', id: 'a', fields: {} }, /line 2: record "a" has no kind of resource/],
    [{ kind: 'session', id: 'a', fields: {} }, /has no kind of/],
    [{ kind: 'user', id: 7, fields: { sub: 's' } }, /line 2: user has no id/],
    [{ kind: 'user', id: 'a', fields: { sub: 7 } }, /has fields that are not an object of texts/],
    [{ kind: 'user', id: 'a', fields: [] }, /has fields that are not an object of texts/],
    [{ kind: 'user', id: 'a', fields: { sub: 's', password_hash: [secret] } }, /has fields that are not/],
    [{ kind: 'user', id: 'a', fields: {} }, /user "a" sub is missing/],
    [{ kind: 'user', id: 'a b', fields: { sub: 's' } }, /user "a b" username in the key/],
    [
      { kind: 'user', id: 'a', fields: { sub: 's', admin: 'everything' } },
      /admin: "everything" is not a scope/,
    ],
    [
      { kind: 'client', id: 'a', fields: { is_public: 'maybe' } },
      /client "a" is_public must be "true" or "false"/,
    ],
    [{ kind: 'client', id: 'a', fields: {}, factors: {} }, /has factors, and is no user/],
    [
      { kind: 'client', id: 'a', fields: {}, sealed: 'x' },
      /has a private part, and is no provider and no signing key/,
    ],
    [{ kind: 'consent', id: 'a', fields: { scope: 'x' } }, /has an id that no record of its kind can have/],
    [{ kind: 'consent', id: 'a:b:c%', fields: {} }, /scope is missing/],
    [{ kind: 'invitation', id: 'x', fields: {} }, /has an id that no record/],
    [{ kind: 'user-invitation', id: '../x', fields: {} }, /has an id that no record/],
    [{ kind: 'resource', id: 'no-uri', fields: { scopes: '' } }, /its key must have the URI/],
    [{ kind: 'issuer', id: 'http://x', fields: {} }, /issuer "http:\/\/x" issuer/],
    [{ kind: 'signing-key', id: 'k', fields: { kid: 'k' } }, /signing-key "k" is not a signing key/],
    [{ ...user('a'), factors: { generation: '1', totp: '{"secret":"x"}' } }, /whose secret the passphrase/],
    [{ ...user('a'), factors: { generation: 'x' } }, /generation must be a whole number/],
    [{ ...user('a'), factors: { generation: '1', 'passkey:AA': '{"name":7}' } }, /user_handle is missing/],
    [
      { ...user('a'), factors: { generation: '1', user_handle: 'u', 'passkey:AA': '{"name":7}' } },
      /passkey:AA is not a passkey/,
    ],
    [
      { ...user('a'), factors: { generation: '1', recovery: '{"digests":7,"used":[]}' } },
      /no recovery codes/,
    ],
  ]
  for (const [line, problem] of bad) {
    const kind = /"kind":"([a-z-]+)"/.exec(typeof line === 'string' ? line : JSON.stringify(line))?.[1] ?? ''
    const known = [
      'client',
      'user',
      'consent',
      'resource',
      'issuer',
      'invitation',
      'user-invitation',
      'signing-key',
    ]
    const parses = typeof line !== 'string' || line.includes('__proto__')
    const counted = parses && known.includes(kind) ? kind : ''
    const stderr = await refused(t, lines(HEADER, line, end({ [counted]: 1 })))
    t.match(stderr, /^Nothing was written\. \d+ problems?:\n/)
    t.match(stderr, problem)
    t.notMatch(stderr, secret)
  }
})

t.test('a line without an end', async (t) => {
  const huge = `{"kind":"user","id":"${'a'.repeat(2 ** 20)}`
  t.match(await refused(t, lines(HEADER, huge)), /Line 2 has more than 1048576 bytes/)
  t.match(await refused(t, Buffer.alloc(3 * 2 ** 20, 'x')), /Line 1 has more than/)
})

t.test('the same record twice, and people who look the same', async (t) => {
  const twice = lines(HEADER, user('a'), user('b'), user('a'), end({ user: 3 }))
  t.match(await refused(t, twice), /line 4: user "a" is in the file twice/)
  const alike = lines(HEADER, user('ann'), user('Ann', { sub: 'other' }), end({ user: 2 }))
  t.match(await refused(t, alike), /line 3: user "Ann" is in the file twice, or people take its name/)
  const subs = lines(HEADER, user('a'), user('b', { sub: 'sub-a' }), end({ user: 2 }))
  t.match(await refused(t, subs), /line 3: user "b" has a sub that another user in the file has/)
})

t.test('others are imported with --skip-refused alone, and the exit code says so', async (t) => {
  const { storage, redmint } = createCli({ environment })
  await createUser(storage, 'there', { sub: 'sub-b' })
  const text = lines(HEADER, user('a'), user('b'), user('c', { admin: 'x' }), end({ user: 3 }))
  t.match(await redmint(['import', '-'], text), { code: 1, stdout: '', stderr: /2 problems:/ })
  t.equal(await readUser(storage, 'a'), undefined)
  const answer = await redmint(['import', '-', '--skip-refused'], text)
  t.match(answer, { code: 1, stdout: /user +1 +0 +0 +0 +0 +2/ })
  t.match(answer.stderr, /line 3: user "b" has a sub that belongs to the user "there" already/)
  t.ok(await readUser(storage, 'a'))
  t.equal(await readUser(storage, 'b'), undefined)
})

t.test('flags that do not fit, and files that cannot be read', async (t) => {
  const folder = t.testdir({ short: 'short\n', 'export.ndjson': lines(HEADER, end({})) })
  const { redmint } = createCli()
  const file = join(folder, 'export.ndjson')
  const bad: [string[], RegExp][] = [
    [['import', join(folder, 'none')], /cannot be read: ENOENT/],
    [['import', file, '--passphrase-file', join(folder, 'none')], /cannot be read: ENOENT/],
    [['import', file, '--passphrase-file', join(folder, 'short')], /at least 12 characters/],
    [['import', file, '--passphrase-file', file], /no secrets under a passphrase/],
    [['import', file, '--on-conflict', 'merge'], /Allowed choices are refuse, keep, replace/],
    [['import', file, '--from', 'okta'], /Allowed choices are keycloak/],
    [['import', file, '--from', 'hydra', '--without-passkeys'], /leave them out with --from/],
    [['import', file, '--passwords', file], /for files of Auth0/],
    [['import', file, '--server', 'https://a.example'], /works on Redis only/],
    [['export', file], /exists already/],
    [['export', join(folder, 'none', 'x')], /cannot be written: ENOENT/],
    [['export', join(folder, 'x'), '--with-keys'], /give --passphrase-file as well/],
    [['export', '-', '--json'], /leave --json out/],
    [['export', '-', '--server', 'https://a.example'], /works on Redis only/],
  ]
  for (const [args, problem] of bad)
    t.match(await redmint(args), { code: 2, stderr: problem }, args.join(' '))
})
