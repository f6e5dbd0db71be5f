// Records that are here already, imports that are broken off, passphrases and keys.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { findFactors } from '../../../../src/factors/change-factors.ts'
import { parseSigningKeys } from '../../../../src/keys/key-record.ts'
import { readRestoreMark, writeRestoreMark } from '../../../../src/keys/restore-mark.ts'
import { maintainSigningKeys } from '../../../../src/keys/rotate.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { furnish, type Installation, PASSPHRASE } from '../../../support/cli/move/installation.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { changeClient, changeUser, createUser, readClient, readUser } from '../../../support/records.ts'

function installation(environment: Record<string, string> = {}): Installation & { storage: MemoryStorage } {
  const storage = new MemoryStorage()
  const { redmint } = createCli({
    storage,
    environment: {
      REDIS_URL: 'redis://127.0.0.1:1',
      LOG_LEVEL: 'warn',
      ISSUER: 'https://auth.example.com',
      ...environment,
    },
  })
  return { storage, prefix: '', redmint }
}

async function exported(t: Test, from: Installation, ...flags: string[]) {
  const folder = t.testdir({ passphrase: PASSPHRASE, wrong: `${PASSPHRASE}!` })
  const file = join(folder, 'export.ndjson')
  const passphrase = ['--passphrase-file', join(folder, 'passphrase')]
  const { code, stderr } = await from.redmint(['export', file, ...passphrase, ...flags])
  t.equal(code, 0, stderr)
  return {
    file,
    command: ['import', file, ...passphrase],
    wrong: ['import', file, '--passphrase-file', join(folder, 'wrong')],
  }
}

t.test('a record with other fields is refused, kept or replaced', async (t) => {
  const [old, other] = [installation(), installation()]
  await furnish(t, old)
  const { command } = await exported(t, old)
  t.match(await other.redmint(command), { code: 0 })
  const alice = await readUser(other.storage, 'alice')
  const web = await readClient(other.storage, 'web')
  await changeUser(other.storage, 'alice', { set: { name: 'Changed here', sessions_end_before: '5' } })
  await changeClient(other.storage, 'web', { set: { client_name: 'Changed here', tokens_end_before: '7' } })

  const refused = await other.redmint(command)
  t.match(refused, { code: 1, stdout: '' })
  t.match(refused.stderr, /Nothing was written\. 2 problems:/)
  t.match(refused.stderr, /line \d+: client "web" is here already, with other fields: client_name\n/)
  t.match(refused.stderr, /line \d+: user "alice" is here already, with other fields: name\n/)
  t.match(refused.stderr, /--on-conflict keep keeps them/)
  t.match(await other.redmint([...command, '--on-conflict', 'keep', '--json']), { code: 0 })
  t.match(await readUser(other.storage, 'alice'), { name: 'Changed here' })

  const dry = await other.redmint([...command, '--on-conflict', 'replace', '--dry-run'])
  t.match(dry, {
    code: 0,
    stdout: /2 records would be changed:\n {2}client "web": client_name\n {2}user "alice": name/,
  })
  t.match(await readUser(other.storage, 'alice'), { name: 'Changed here' })
  const replaced = await other.redmint([...command, '--on-conflict', 'replace', '--json'])
  t.match(parsed(replaced), {
    kinds: { user: { changed: 1, unchanged: 1 }, client: { changed: 1, unchanged: 2 } },
  })
  const { sessions_end_before, grants_end_before, ...fields } = (await readUser(other.storage, 'alice')) ?? {}
  t.strictSame(fields, alice)
  t.ok(Number(sessions_end_before) > 5, 'what was ended here stays ended')
  t.equal(grants_end_before, sessions_end_before, 'and what was signed in before the replacement ends')
  t.strictSame(await readClient(other.storage, 'web'), { ...web, tokens_end_before: '7' })
})

t.test('a user of another sub is never replaced, nor the last administrator', async (t) => {
  const [old, other] = [installation(), installation()]
  await furnish(t, old)
  const { command } = await exported(t, old)
  await createUser(other.storage, 'alice', { sub: 'somebody-else' })
  const replace = [...command, '--on-conflict', 'replace']
  t.match((await other.redmint(replace)).stderr, /user "alice" has another sub here, which never changes/)
  t.match(await readUser(other.storage, 'alice'), { sub: 'somebody-else' })

  const third = installation()
  t.match(await third.redmint(command), { code: 0 })
  await changeUser(old.storage, 'Bob', { set: {}, unset: ['admin'] })
  const { command: later } = await exported(t, old)
  const answer = await third.redmint([...later, '--on-conflict', 'replace'])
  t.match(answer, { code: 1, stderr: /user "Bob" .*is the last one with redmint:write/ })
  t.match(await readUser(third.storage, 'Bob'), { admin: /redmint:write/ })
})

t.test('an import that is broken off is continued by the same command (M5)', async (t) => {
  const [old, other] = [installation(), installation()]
  await furnish(t, old)
  const { command } = await exported(t, old)
  const { records } = other.storage
  const create = records.create.bind(records)
  let left = 4
  records.create = async (...writes) => {
    left -= 1
    if (left < 0) throw new StorageUnavailable('no connection')
    return create(...writes)
  }
  const broken = await other.redmint([...command, '--json'])
  t.match(broken, { code: 3, stderr: /broken off.*no connection.*Run the same command again/s })
  records.create = create
  const answer = await other.redmint([...command, '--json'])
  t.match(answer, { code: 0 })
  const { kinds, total } = parsed<{ kinds: Record<string, Record<string, number>>; total: number }>(answer)
  const sum = (outcome: string) =>
    Object.values(kinds).reduce((all, counts) => all + (counts[outcome] ?? 0), 0)
  t.equal(sum('created') + sum('unchanged'), total)
  t.ok(sum('unchanged') > 0)
  t.match(await other.redmint([...command, '--json']).then(parsed), {
    kinds: { user: { unchanged: 2, created: 0 } },
  })
  t.match(await readUser(other.storage, 'alice'), { sub: 'a-1' })
})

t.test('nobody can sign in without the second step while users are imported', async (t) => {
  const [old, other] = [installation(), installation()]
  await furnish(t, old)
  const { command } = await exported(t, old)
  const { records } = other.storage
  const create = records.create.bind(records)
  const at_creation: unknown[] = []
  records.create = async (...writes) => {
    if (writes[0]?.id === 'alice')
      at_creation.push((await findFactors(other, 'alice')).factors.totp?.failures)
    return create(...writes)
  }
  t.match(await other.redmint(command), { code: 0 })
  t.strictSame(new Set(at_creation), new Set([0]))
})

t.test('secrets leave and come under the passphrase alone', async (t) => {
  const old = installation()
  const { key } = await furnish(t, old)
  const folder = t.testdir({})
  const without = await old.redmint(['export', join(folder, 'without')])
  t.match(without, { code: 1, stderr: /leaves only under a passphrase: give one with --passphrase-file/ })
  await t.rejects(readFile(join(folder, 'without')), { code: 'ENOENT' }, 'no part of a file stays')

  const { file, command, wrong } = await exported(t, old, '--with-keys')
  const text = await readFile(file, 'utf8')
  t.notMatch(text, key.replaceAll(' ', ''))
  t.notMatch(text, /"d"|\\"d\\"/)
  const other = installation()
  t.match(await other.redmint(wrong), {
    code: 1,
    stderr: 'The passphrase is not that of the file. Nothing was written.\n',
  })
  t.match(await other.redmint(['import', file]), { code: 2, stderr: /give it with --passphrase-file/ })

  const app = /\\"secret\\":\\"([^\\]+)/.exec(text)?.[1] ?? ''
  t.match(app, /^movefile\./)
  const moved = text.replace('"id":"alice"', '"id":"mallory"').replace('"sub":"a-1"', '"sub":"m-1"')
  t.match(
    (await other.redmint(['import', '-', ...command.slice(2)], moved)).stderr,
    /user "mallory" has an authenticator app whose secret the passphrase of the file does not open/,
    'the secret of one user is of no use for another',
  )
  const changed = text.replace(app, `${app.slice(0, -1)}${app.endsWith('A') ? 'B' : 'A'}`)
  t.match(
    (await other.redmint(['import', '-', ...command.slice(2)], changed)).stderr,
    /user "alice" has an authenti/,
  )
  t.equal(await readUser(other.storage, 'Bob'), undefined)

  for (const [cost, problem] of [
    ['"N":1099511627776', /costs too much/],
    ['"N":3', /a power of two/],
    ['"p":1000', /costs too much/],
    ['"kdf":"md5"', /must have the kdf "scrypt"/],
  ] as const) {
    const name = cost.split(':')[0] ?? ''
    const costly = text.replace(new RegExp(`${name}:("[a-z]+"|\\d+)`), cost)
    t.match(
      await other.redmint(['import', '-', ...command.slice(2)], costly),
      { code: 1, stderr: problem },
      cost,
    )
  }
  t.match(await other.redmint(['import', '-', ...command.slice(2)], text), { code: 0 })
})

t.test('passkeys are for one host (M5)', async (t) => {
  const old = installation()
  await furnish(t, old)
  const { command } = await exported(t, old)
  const elsewhere = installation({ ISSUER: 'https://login.example.org' })
  const problem =
    /user "alice" has passkeys for auth\.example\.com, which cannot be used at login\.example\.org/
  t.match(await elsewhere.redmint(command), { code: 1, stderr: problem })
  t.match(await elsewhere.redmint([...command, '--without-passkeys']), { code: 0 })
  const { factors } = await findFactors(elsewhere, 'alice')
  t.equal(factors.passkeys.size, 0)
  t.ok(factors.totp)
  const nowhere = createCli({ environment: { REDIS_URL: 'redis://127.0.0.1:1' } })
  t.match(await nowhere.redmint(command), { code: 2, stderr: /set ISSUER/ })
})

t.test('keys of another installation sign, or only verify', async (t) => {
  const old = installation({ KEY_ENCRYPTION_KEY: 'a'.repeat(43) })
  await furnish(t, old)
  await writeRestoreMark(old.storage, 1000)
  const { command } = await exported(t, old, '--with-keys')
  const other = installation({ KEY_ENCRYPTION_KEY: 'b'.repeat(43) })
  const key_encryption_key = Buffer.from(`${'b'.repeat(43)}=`, 'base64')
  const settings = { key_rotation_days: 90, key_encryption_key }
  await maintainSigningKeys(other.storage.signing_keys, settings, new Date())
  const kids = async (status: string) =>
    parseSigningKeys(await other.storage.signing_keys.read()).flatMap((key) =>
      key.status === status ? key.kid : [],
    )
  const [own, own_next] = [await kids('current'), await kids('next')]
  const moved = parseSigningKeys(await old.storage.signing_keys.read())
  const moved_current = moved.flatMap(({ status, kid }) => (status === 'current' ? kid : []))

  const refused = await other.redmint(command)
  t.match(refused, { code: 1, stderr: /There are other signing keys here/ })
  t.equal(await readUser(other.storage, 'alice'), undefined, 'nothing else is imported either')
  t.match(await other.redmint([...command, '--on-conflict', 'keep']), { code: 0 })
  t.strictSame(await kids('current'), own)
  t.strictSame(await kids('next'), own_next)
  t.strictSame((await kids('retired')).sort(), moved_current.sort())
  t.equal(await readRestoreMark(other.storage), 1000, 'what was refused stays refused')
  for (const { private_jwk } of parseSigningKeys(await other.storage.signing_keys.read()))
    t.notOk(private_jwk)

  const third = installation()
  await maintainSigningKeys(third.storage.signing_keys, { key_rotation_days: 90 }, new Date())
  await writeRestoreMark(third.storage, 2000)
  t.match(await third.redmint([...command, '--on-conflict', 'replace']), { code: 0 })
  const now_current = parseSigningKeys(await third.storage.signing_keys.read())
  t.strictSame(
    now_current.flatMap(({ status, kid }) => (status === 'current' ? kid : [])).sort(),
    moved_current.sort(),
  )
  t.equal(now_current.filter(({ status }) => status === 'retired').length, 4)
  t.equal(await readRestoreMark(third.storage), 2000, 'no mark is moved back')

  const wrong = createCli({
    storage: other.storage,
    environment: {
      REDIS_URL: 'redis://127.0.0.1:1',
      KEY_ENCRYPTION_KEY: 'c'.repeat(43),
      ISSUER: 'https://auth.example.com',
    },
  })
  const file = join(t.testdir({ passphrase: PASSPHRASE }), 'x')
  const flags = ['--with-keys', '--passphrase-file', join(t.testdirName, 'passphrase')]
  t.match(await wrong.redmint(['export', file, ...flags]), { code: 1, stderr: /another KEY_ENCRYPTION_KEY/ })
})

t.test('what cannot be moved is named, and the rest is exported', async (t) => {
  const { storage, redmint } = installation()
  await createUser(storage, 'good', { sub: 'good' })
  await createUser(storage, 'bad', { sub: '' })
  await storage.records.put({ kind: { name: 'factors' }, id: 'good', hash: { generation: 'x' } })
  await createUser(storage, 'fine', { sub: 'fine' })
  const { code, stdout, stderr } = await redmint(['export', '-'])
  t.equal(code, 1)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  t.match(lines, [{ redmint_export: 1 }, { kind: 'user', id: 'fine' }, { end: true, counts: { user: 1 } }])
  t.match(
    stderr,
    /2 records left out:\n {2}user "bad": sub is missing\n {2}user "good": cannot be read: The factors/,
  )
})
