// What servers say of themselves in storage, and what the command makes of it.
import t from 'tap'
import { completeSettings, type Settings } from '../../../../src/config/settings.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { VERSION } from '../../../../src/core/version.ts'
import {
  RunningServer,
  readIssuers,
  readServers,
  SERVER,
  SERVER_TTL,
  type ServerRecord,
} from '../../../../src/service/running-server.ts'
import { findDisagreements, groupServers } from '../../../../src/service/running-servers.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { write } from '../../../../src/storage/records.ts'
import { createCli, parsed } from '../../../support/cli/run-cli.ts'
import { spyOn } from '../../../support/matrix.ts'

const ISSUER = 'https://auth.example.com'
const OTHER = 'https://other.example.com'
const SALT = 'a salt that nobody may see'
const ADD = ['client', 'add', 'app', '--for', 'express', '--origin', 'https://app.example.com']

const started = async (storage: MemoryStorage, settings: Partial<Settings> = {}, now = Date.now) => {
  const options = { storage, settings: completeSettings({ issuer: ISSUER, ...settings }), log: SILENT, now }
  const server = new RunningServer(options)
  await server.start()
  return server
}

t.test('a server is listed while it runs, and a minute after a crash', async (t) => {
  let ahead = 0
  const now = () => Date.now() + ahead
  const storage = new MemoryStorage({ now })
  const [one, other] = [await started(storage, {}, now), await started(storage, {}, now)]
  const listed = await readServers(storage)
  t.match(listed, [
    { version: VERSION, pid: String(process.pid), settings: { issuer: ISSUER, tokens_at_rest: 'plain' } },
    { version: VERSION },
  ])
  await other.close()
  t.equal((await readServers(storage)).length, 1)
  // As if it had crashed: nothing renews its record.
  ahead += SERVER_TTL * 1000 + 1
  t.strictSame(await readServers(storage), [])
  t.strictSame(await readIssuers(storage), [ISSUER], 'the issuer is known while all are stopped')
  await one.start()
  t.equal((await readServers(storage)).length, 1, 'a renewal is enough after storage lost the record')
  await one.close()
  ahead += 7 * 86_400_000 + 1
  t.strictSame(await readIssuers(storage), [])
})

t.test('a record has no secret, and shows that two differ', async (t) => {
  const storage = new MemoryStorage()
  const servers = [
    await started(storage, { pairwise_salt: SALT, key_encryption_key: new Uint8Array(32) }),
    await started(storage, { pairwise_salt: `${SALT}.` }),
    await started(storage, { access_token_ttl: 60 }),
  ]
  const processes = await readServers(storage)
  const stored = JSON.stringify(processes.map((process) => SERVER.format(process)))
  t.notMatch(stored, SALT)
  t.notMatch(stored, /key_encryption_key/)
  t.strictSame(
    findDisagreements(processes).map(({ setting, values }) => [setting, values.length]),
    [
      ['access_token_ttl', 2],
      ['pairwise_salt', 3],
    ],
  )
  t.equal(new Set(processes.map(({ settings_digest }) => settings_digest)).size, 3)
  for (const server of servers) await server.close()
})

const record = (more: Partial<ServerRecord> = {}): ServerRecord => ({
  version: '1.0.0',
  started_at: '2026-11-25T10:00:00.000Z',
  seen_at: '2026-11-25T10:05:00.000Z',
  host: 'web-1',
  pid: '7',
  settings_digest: '00000000',
  settings: { issuer: ISSUER, access_token_ttl: '900' },
  ...more,
})

t.test('a record is read as it was written', async (t) => {
  for (const one of [record(), record({ worker_of: '1' })]) {
    t.strictSame(SERVER.parse(SERVER.format(one), 'id'), { ok: true, record: one })
  }
  t.equal(SERVER.parse({ issuer: ISSUER }, 'id').ok, false)
})

t.test('the workers of one server are one server', async (t) => {
  const worker = (pid: string, started_at: string) => record({ pid, worker_of: '1', started_at })
  const groups = groupServers([
    worker('8', '2026-11-25T10:00:01.000Z'),
    worker('9', '2026-11-25T10:00:02.000Z'),
    { ...worker('8', '2026-11-25T10:00:03.000Z'), host: 'web-2' },
    record(),
    record({ started_at: '2026-11-25T10:00:09.000Z' }),
  ])
  t.strictSame(
    groups.map(({ host, workers, started_at }) => [host, workers, started_at.slice(17, 19)]),
    [
      ['web-1', 2, '01'],
      ['web-2', 1, '03'],
      ['web-1', 1, '00'],
      ['web-1', 1, '09'],
    ],
  )
})

t.test('servers of two versions are compared by the settings that both have', async (t) => {
  const newer = record({ version: '1.1.0', settings: { issuer: ISSUER, access_token_ttl: '60', new: 'x' } })
  const alike = record({ settings: { issuer: ISSUER } })
  t.strictSame(
    findDisagreements([record(), newer]).map(({ setting }) => setting),
    ['access_token_ttl'],
  )
  t.match(findDisagreements([record(), alike]), [
    { setting: 'access_token_ttl', values: [{ value: '900' }, { value: '' }] },
  ])
})

t.test('storage that is unavailable does not keep a server from starting or stopping', async () => {
  const spy = spyOn(new MemoryStorage())
  spy.fault = new StorageUnavailable('away')
  const options = { storage: spy.storage, settings: completeSettings({ issuer: ISSUER }), log: SILENT }
  const server = new RunningServer({ ...options, now: Date.now })
  await server.start()
  await server.close()
})

t.test('the command takes the issuer of the servers, and says that it only guesses', async (t) => {
  const storage = new MemoryStorage()
  const { redmint } = createCli({ storage })
  const guessed = await redmint(ADD)
  t.match(guessed.stdout, /http:\/\/localhost:3000/)
  t.match(
    guessed.stdout,
    /Warning: the issuer in these settings, http:\/\/localhost:3000, is only the default/,
  )

  const server = await started(storage)
  const { code, stdout, stderr } = await redmint(ADD.map((word) => (word === 'app' ? 'app2' : word)))
  t.strictSame([code, stderr], [0, ''])
  t.match(stdout, ISSUER)
  t.notMatch(stdout, /localhost:3000|Warning/)
  await server.close()
})

t.test('ISSUER in the shell wins, and a difference is said', async (t) => {
  const storage = new MemoryStorage()
  const server = await started(storage)
  for (const name of ['ISSUER', 'REDMINT_ISSUER']) {
    const environment = { REDIS_URL: 'redis://127.0.0.1:1', [name]: OTHER }
    const { redmint } = createCli({ storage, environment })
    const other = await redmint(['client', 'list'])
    t.match(other.stderr, `Warning: ISSUER is ${OTHER} here, but that of the servers is ${ISSUER}`)
    const json = await redmint(['client', 'list', '--json'])
    t.match(JSON.parse(json.stderr), { warning: /that of the servers/ })
    t.ok(parsed(json))
    const same = createCli({ storage, environment: { ...environment, [name]: ISSUER } })
    t.equal((await same.redmint(['client', 'list'])).stderr, '')
  }
  await server.close()
})

t.test('a setting by which a command decides, and that is another one at all servers, is said', async (t) => {
  const storage = new MemoryStorage()
  const environment = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', GROUPS_CLAIM: 'teams' }
  const { redmint } = createCli({ storage, environment })
  const list = ['client', 'list']
  t.equal((await redmint(list)).stderr, '', 'no server says otherwise')
  const audit_key = 'k'.repeat(43)
  const there = { sign_in: 'passkeys', audit: 'on', audit_key, access_token_ttl: 60 } as const
  const server = await started(storage, there)
  const { stderr, code } = await redmint(list)
  t.equal(code, 0)
  t.match(
    stderr,
    'Warning: The servers have other settings than this environment: AUDIT (off here, on there), AUDIT_KEY, GROUPS_CLAIM (teams here, groups there), SIGN_IN (password here, passkeys there).',
  )
  t.notMatch(stderr, /kkk|sha256/)
  t.match(JSON.parse((await redmint([...list, '--json'])).stderr), { warning: /SIGN_IN/ })
  const [stored] = await readServers(storage)
  await server.close()
  const older = { ...(stored ?? record()), version: '0.0.1' }
  await storage.bounded.put('server-ids', [{ name: 'older', text: ISSUER }], { ttl: 60_000, max: 9 })
  await storage.records.put(write(SERVER, 'older', older, SERVER_TTL))
  t.equal((await redmint(list)).stderr, '', 'a server of another version may mean something else')
  const servers = [await started(storage, there), await started(storage, { groups_claim: 'teams' })]
  t.equal((await redmint(list)).stderr, '', 'servers that disagree are for doctor')
  for (const one of servers) await one.close()
})

t.test('servers that disagree about the issuer: the command asks for ISSUER', async (t) => {
  const storage = new MemoryStorage()
  const servers = [await started(storage), await started(storage, { issuer: OTHER })]
  const { code, stdout, stderr } = await createCli({ storage }).redmint(ADD)
  t.match(stderr, `The servers disagree about ISSUER: ${ISSUER} and ${OTHER}. Set ISSUER`)
  t.strictSame({ code, stdout }, { code: 2, stdout: '' })
  const environment = { REDIS_URL: 'redis://127.0.0.1:1', ISSUER: OTHER }
  t.equal((await createCli({ storage, environment }).redmint(['client', 'list'])).stderr, '')
  for (const server of servers) await server.close()
})
