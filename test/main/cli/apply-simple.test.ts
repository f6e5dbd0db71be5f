// Resources, trusted issuers and providers in a file of `redmint apply`: it does what the operations do, and the trail knows as
// much of it.
import t from 'tap'
import { ISSUER } from '../../../src/issuers/issuer-kind.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { createCli } from '../../support/cli/run-cli.ts'

const ENVIRONMENT = { REDIS_URL: 'redis://127.0.0.1:1', LOG_LEVEL: 'warn', AUDIT: 'on' }
const URL = 'https://ci.example.com'
const KEYS = `${URL}/keys`

const KINDS = {
  resource: {
    list: 'resources',
    id: 'https://api.example.com',
    fields: { scopes: ['a', 'b'] },
    flags: ['--scope', 'a b'],
  },
  issuer: { list: 'issuers', id: URL, fields: { jwks_uri: KEYS }, flags: ['--jwks-uri', KEYS] },
  provider: {
    list: 'providers',
    id: 'google',
    fields: { client_id: 'x' },
    flags: ['--client-id', 'x'],
  },
} as const

interface Entry {
  event: string
  changes?: { field: string }[]
}

function start() {
  const { redmint, storage } = createCli({ storage: new MemoryStorage(), environment: ENVIRONMENT })
  const apply = (file: object, ...flags: string[]) => redmint(['apply', '-', ...flags], JSON.stringify(file))
  const entries = async () => {
    const { stdout } = await redmint(['audit', 'export'])
    const lines = stdout.trim().split('\n')
    return lines
      .map((line) => JSON.parse(line) as Entry)
      .map(({ event, changes = [] }) => ({
        event,
        changes: changes.filter(({ field }) => field !== 'managed_by'),
      }))
  }
  return { redmint, storage, apply, entries }
}

for (const [noun, { list, id, fields, flags }] of Object.entries(KINDS))
  t.test(`a ${noun} that a file declares has the entries of one that a command writes`, async (t) => {
    const [declared, written] = [start(), start()]
    t.match(await declared.apply({ label: 'a', [list]: [{ [noun]: id, ...fields }] }), { code: 0 })
    t.match(await written.redmint([noun, 'add', id, ...flags]), { code: 0 })
    const name =
      noun === 'issuer' ? { reusable: true } : { [noun === 'resource' ? 'resource_name' : 'name']: 'N' }
    t.match(await declared.apply({ label: 'a', [list]: [{ [noun]: id, ...fields, ...name }] }), { code: 0 })
    const flag = noun === 'issuer' ? ['--reusable', 'true'] : ['--name', 'N']
    t.match(await written.redmint([noun, 'update', id, ...flag]), { code: 0 })
    t.match(await declared.apply({ label: 'a', [list]: [] }, '--prune', '--yes'), { code: 0 })
    t.match(await written.redmint([noun, 'remove', id, '--yes']), { code: 0 })
    const entries = await declared.entries()
    t.equal(entries.length, 3)
    t.ok(entries.some(({ changes }) => changes.length > 0))
    t.strictSame(entries, await written.entries())
  })

t.test('who takes a record over after the file was read keeps it', async (t) => {
  const { storage, apply } = start()
  const file = (...issuers: object[]) => ({ label: 'a', issuers })
  await apply(file({ issuer: URL, jwks_uri: KEYS }))
  const { records } = storage
  const read = records.read.bind(records)
  for (const given of [
    [file({ issuer: URL, jwks_uri: `${KEYS}/2` })],
    [file(), '--prune', '--yes'],
  ] as const) {
    // Planned, and read once more when it is written.
    let left = 1
    records.read = async (kind, id) => {
      if (kind.name === ISSUER.name && left-- === 0)
        await records.change(ISSUER, URL, { set: { managed_by: 'theirs' }, unset: [] })
      return read(kind, id)
    }
    const [wanted, ...flags] = given
    t.match(await apply(wanted, ...flags), { code: 1, stderr: /1 record not completed: another process/ })
    t.match((await read(ISSUER, URL))?.hash, { jwks_uri: KEYS, managed_by: 'theirs' })
    records.read = read
    await records.change(ISSUER, URL, { set: { managed_by: 'a' }, unset: [] })
  }
})
