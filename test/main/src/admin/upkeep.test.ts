// What a server finds when it looks at all clients, and how often one does.
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { lookAtClients } from '../../../../src/admin/upkeep/look-at-clients.ts'
import { UPKEEP_OPERATIONS, type Upkeep } from '../../../../src/admin/upkeep/upkeep.ts'
import { UpkeepKeeper } from '../../../../src/admin/upkeep/upkeep-keeper.ts'
import { SecretUses } from '../../../../src/clients/authentication/secret-uses.ts'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { until } from '../../../support/until.ts'

const DAY = 86_400_000
const START = Date.parse('2026-11-27T02:10:00Z')
const never = new AbortController().signal

const ago = (days: number) => new Date(START - days * DAY).toISOString()

async function withClients(storage: MemoryStorage) {
  const add = (id: string, hash: Record<string, string>) =>
    storage.records.put({
      kind: CLIENT,
      id,
      hash: { client_id: id, is_public: 'false', client_secret_hash: `hash-of-${id}`, ...hash },
    })
  await add('fresh', { client_secret_created_at: ago(89) })
  await add('used', { client_secret_created_at: ago(364) })
  await add('old', { client_secret_created_at: ago(366) })
  await add('older', { client_secret_created_at: ago(1000) })
  await add('unused', { client_secret_created_at: ago(91) })
  await add('of-unknown-age', {})
  await add('disabled', { client_secret_created_at: ago(1000), disabled: 'true' })
  await add('public', { client_secret_created_at: ago(1000), is_public: 'true' })
  const report = Object.assign(() => {}, {})
  const note = async (at: number, ...ids: string[]) => {
    const uses = new SecretUses({ storage, log: SILENT, report, now: () => at })
    for (const id of ids) uses.note(id, `hash-of-${id}`, false)
    await uses.close()
  }
  await note(START - 89 * DAY, 'used', 'old')
  await note(START - 91 * DAY, 'older')
}

t.test('secrets older than a year, and secrets that nobody used for 90 days', async (t) => {
  const storage = new MemoryStorage()
  await withClients(storage)
  t.same(await lookAtClients(storage, () => START, never), {
    at: '2026-11-27T02:10:00.000Z',
    old_secrets: {
      count: 2,
      oldest: [
        { client_id: 'older', since: ago(1000) },
        { client_id: 'old', since: ago(366) },
      ],
    },
    unused: {
      count: 2,
      oldest: [
        { client_id: 'older', since: ago(91) },
        { client_id: 'unused', since: ago(91) },
      ],
    },
  })
})

t.test('of many only the oldest are named', async (t) => {
  const storage = new MemoryStorage()
  for (let i = 0; i < 130; i += 1)
    await storage.records.put({
      kind: CLIENT,
      id: `c-${i}`,
      hash: { client_secret_hash: 'x', client_secret_created_at: ago(400 + i) },
    })
  const { old_secrets } = await lookAtClients(storage, () => START, never)
  t.equal(old_secrets.count, 130)
  t.equal(old_secrets.oldest.length, 20)
  t.equal(old_secrets.oldest[0]?.client_id, 'c-129')
})

t.test('one of several servers looks, once a day', async (t) => {
  const clock = { now: START }
  const now = () => clock.now
  const storage = new MemoryStorage({ now })
  await withClients(storage)
  const found = async () =>
    (await UPKEEP_OPERATIONS.read_upkeep.run({ storage } as never, {} as never)) as { body: Upkeep }
  const keepers = [1, 2].map(
    () =>
      new UpkeepKeeper(
        { storage, settings: { sign_in: 'password', groups_claim: 'groups' }, log: SILENT, now },
        1,
      ),
  )
  t.teardown(() => Promise.all(keepers.map((keeper) => keeper.close())))
  t.same((await found()).body, {})
  for (const keeper of keepers) keeper.start()
  await until('it was looked at', async () => (await found()).body.clients !== undefined)
  const at = async () => (await found()).body.clients?.at
  t.equal(await at(), '2026-11-27T02:10:00.000Z')
  t.same((await found()).body.servers?.findings, [])
  clock.now += DAY - 1
  await until('the servers were looked at again', async () => (await found()).body.servers?.at !== ago(0))
  await pause(0)
  t.equal(await at(), '2026-11-27T02:10:00.000Z')
  clock.now += 1
  await until('the clients, too', async () => (await at()) === '2026-11-28T02:10:00.000Z')
})
