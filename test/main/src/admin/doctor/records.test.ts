// What doctor finds in records and queues that is rarer than what test/proofs/cli/doctor.test.ts has.
import t from 'tap'
import { arrivalFinding } from '../../../../../src/admin/doctor/arrival.ts'
import { keyFindings, startFindings } from '../../../../../src/admin/doctor/keys.ts'
import { logoutFindings } from '../../../../../src/admin/doctor/logouts.ts'
import { serverFindings } from '../../../../../src/admin/doctor/servers.ts'
import { completeSettings } from '../../../../../src/config/settings.ts'
import { maintainSigningKeys } from '../../../../../src/keys/rotate.ts'
import { readable } from '../../../../../src/service/finding.ts'
import { SERVER } from '../../../../../src/service/running-server.ts'
import { queueLogouts } from '../../../../../src/sessions/logout-queue.ts'
import type { BoundedEntry } from '../../../../../src/storage/bounded-lists.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { instead } from '../../../../support/instead.ts'
import { recordFinding } from '../../../../support/record-finding.ts'
import { createClient, createUser } from '../../../../support/records.ts'
import { ISSUER } from '../../../../support/service.ts'

const SETTINGS = completeSettings({ issuer: ISSUER })
const NOW = Date.UTC(2026, 10, 28)

t.test('an algorithm without a key is named', async (t) => {
  const { signing_keys } = new MemoryStorage()
  await maintainSigningKeys(signing_keys, SETTINGS, new Date(NOW), { algs: ['ES256'] })
  const found = await keyFindings({ signing_keys }, SETTINGS, NOW)
  t.match(found, [{ level: 'problem', finding: 'there is none for RS256, PS256, EdDSA' }])
})

t.test('what is no fault of a record is no finding', async (t) => {
  const fails = async () => {
    throw new TypeError('a fault of the program')
  }
  const faulty = (name: 'signing_keys' | 'sealing_keys') =>
    Object.assign(new MemoryStorage(), { [name]: { read: fails } })
  await t.rejects(keyFindings(faulty('signing_keys'), SETTINGS, NOW), TypeError)
  await t.rejects(startFindings(faulty('sealing_keys'), SETTINGS), TypeError)
  await t.rejects(arrivalFinding(faulty('sealing_keys'), SETTINGS), TypeError)
  await t.rejects(readable(fails, 'memory'), TypeError)
})

t.test('clients that registered themselves, by whether others still may', async (t) => {
  const storage = new MemoryStorage()
  const find = async (client_registration: 'off' | 'open') =>
    await recordFinding('registration', storage, { ...SETTINGS, client_registration })
  t.match(await find('off'), { level: 'ok', finding: 'off' })
  await createClient(storage, 'own', { client_id: 'own' })
  t.match(await find('open'), { level: 'ok', finding: 'open' }, 'nobody did')
  await createClient(storage, 'new', { client_id: 'new', registered_at: '2026-11-01T00:00:00.000Z' })
  t.match(await find('open'), { level: 'ok', finding: 'open: 1 client registered themselves' })
  t.match(await find('off'), { level: 'warning', finding: /^off, but 1 client / })
})

t.test('five names are listed, and that there are more', async (t) => {
  const storage = new MemoryStorage()
  const settings = { ...SETTINGS, sign_in: 'passkeys' as const }
  const found = async () => (await recordFinding('passkeys', storage, settings))?.finding
  for (const name of ['a', 'b', 'c', 'd', 'e']) await createUser(storage, name, { sub: name })
  t.match(await found(), /: a, b, c, d, e \(5 of 5\)$/)
  await createUser(storage, 'off', { sub: 'off', disabled: 'true' })
  t.match(await found(), /\(5 of 5\)$/, 'a disabled user needs none')
  await createUser(storage, 'f', { sub: 'f' })
  t.match(await found(), /: a, b, c, d, e, … \(6 of 6\)$/)
  const notice = { sub: 'alice', sid: 'a-session', attempts: 3 }
  for (const id of ['a', 'b', 'c', 'd', 'e']) await queueLogouts(storage, [{ ...notice, id, client_id: id }])
  t.match(await logoutFindings(storage), [{ finding: /by a, b, c, d, e, tried/ }])
  await queueLogouts(storage, [{ ...notice, id: 'f', client_id: 'f' }])
  t.match(await logoutFindings(storage), [{ finding: /by a, b, c, d, e, …, tried/ }])
})

t.test('a name that the index lacks is found', async (t) => {
  const storage = new MemoryStorage()
  await createUser(storage, 'Ada', { sub: 'ada', email: 'ada@example.com', email_verified: 'true' })
  t.match(await recordFinding('sign-in names', storage), { level: 'warning', finding: /: Ada$/ })
})

t.test('servers of two versions are named, beside those that agree', async (t) => {
  const storage = new MemoryStorage()
  const at = new Date(NOW).toISOString()
  const names: BoundedEntry[] = []
  const bounded = instead(storage.bounded, { read: async () => names })
  const put = async (id: string, version: string) => {
    const of_process = { host: id, pid: '1', started_at: at, seen_at: at }
    const hash = SERVER.format({ ...of_process, version, settings_digest: 'same', settings: {} })
    await storage.records.create({ kind: SERVER, id, hash })
    names.push({ name: id, text: '', ends_in: 1, more: 0 })
  }
  const find = () => serverFindings({ records: storage.records, bounded })
  await put('one', '0.1.0')
  await put('two', '0.1.0')
  t.match(await find(), [{ level: 'ok', finding: /^2 servers of version 0\.1\.0, / }])
  await put('three', '0.2.0')
  t.match(await find(), [{ level: 'warning', finding: 'they are of the versions 0.1.0, 0.2.0' }])
})

t.test('all records are found in few walks through all keys', async (t) => {
  const storage = new MemoryStorage()
  await createUser(storage, 'alice', { sub: 'alice' })
  await createClient(storage, 'app', { client_id: 'app' })
  let walks = 0
  const counted = (name: 'list' | 'scan' | 'walk') => ({
    [name]: (...args: never[]) => {
      walks += 1
      return (storage.records[name] as (...given: never[]) => unknown)(...args)
    },
  })
  const records = instead(
    storage.records,
    Object.assign({}, ...(['list', 'scan', 'walk'] as const).map(counted)),
  )
  t.match(await recordFinding('users', instead(storage, { records })), { finding: /^1 user/ })
  t.equal(walks, 3, 'the secrets, the names, and all kinds together')
})

t.test('a record that a walk repeats is looked at once', async (t) => {
  const storage = new MemoryStorage()
  await createUser(storage, 'alice', { sub: 'alice' })
  const records = instead(storage.records, {
    async *walk(kinds) {
      for (const turn of [1, 2]) if (turn > 0) yield* storage.records.walk(kinds)
    },
  })
  const found = (check: 'users' | 'sign-in names') => recordFinding(check, instead(storage, { records }))
  t.match(await found('users'), { finding: /^1 user, none/ })
  t.match(await found('sign-in names'), { level: 'ok' })
})
