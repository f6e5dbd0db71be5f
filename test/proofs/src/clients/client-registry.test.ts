import t from 'tap'
import { ClientRegistry } from '../../../../src/clients/client-registry.ts'
import { CLIENT } from '../../../../src/clients/record/client-kind.ts'
import { secretHash } from '../../../../src/clients/record/client-secret.ts'
import { found } from '../../../../src/storage/records.ts'
import type { Storage } from '../../../../src/storage/storage.ts'
import { SILENT } from '../../../support/contract/redis-subject.ts'

const SMALL = {
  client_secret_hash: secretHash('a secret'),
  redirect_uris: 'https://app.example.com/callback',
  allowed_scopes: 'openid profile api.read api.write',
  grant_types: 'client_credentials authorization_code refresh_token',
  is_public: 'false',
}

/** A storage in which every client is registered, and the number of its reads. */
function countingStorage() {
  const count = { reads: 0 }
  const read = async (_kind: unknown, client_id: string) => {
    count.reads += 1
    return found(CLIENT, client_id, { ...SMALL, client_id, client_name: `The client ${client_id}` })
  }
  const storage = { records: { read }, changes: { watch() {}, isLive: () => true } }
  return { count, storage: storage as unknown as Pick<Storage, 'records' | 'changes'> }
}

t.test('100,000 small clients in turn are read once each', async (t) => {
  const { count, storage } = countingStorage()
  const clients = new ClientRegistry({ storage, log: SILENT, settings: { demo: false }, now: Date.now })
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 100_000; i++) await clients.find(`client-${i}`)
    t.equal(count.reads, 100_000)
  }
})

t.test('a cached client that lapsed is not used, although storage reported no change', async (t) => {
  let [reads, now] = [0, Date.parse('2026-11-22T08:00:00.000Z')]
  const lapses_at = '2026-11-22T09:00:00.000Z'
  const read = async (_kind: unknown, client_id: string) => {
    reads += 1
    return now < Date.parse(lapses_at)
      ? found(CLIENT, client_id, { ...SMALL, client_id, client_name: 'Notes', lapses_at })
      : undefined
  }
  const storage = { records: { read }, changes: { watch() {}, isLive: () => true } }
  const clients = new ClientRegistry({
    storage: storage as unknown as Pick<Storage, 'records' | 'changes'>,
    log: SILENT,
    settings: { demo: false },
    now: () => now,
  })
  for (let i = 0; i < 2; i++) t.ok(await clients.find('self-a'))
  t.ok(clients.cached('self-a'))
  t.equal(reads, 1)
  now = Date.parse(lapses_at)
  t.equal(clients.cached('self-a'), undefined)
  t.equal(await clients.find('self-a'), undefined)
})
