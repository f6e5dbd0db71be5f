// A client as a whole, as a file declares it.
import t from 'tap'
import { CLIENT } from '../../../../../src/clients/record/client-kind.ts'
import { keepRegistered } from '../../../../../src/clients/registration/lifetime.ts'
import { MemoryStorage } from '../../../../../src/storage/memory/storage.ts'
import { operatorOn } from '../../../../support/operator.ts'
import { readClient } from '../../../../support/records.ts'

const ONE = { params: { client_id: 'shop' } }

t.test('a file that declares a client puts its label on it, and takes other marks away', async (t) => {
  let now = Date.now()
  const storage = new MemoryStorage({ now: () => now })
  const { run } = operatorOn(storage)
  await run('replace_client', { ...ONE, body: { allowed_scopes: ['a'] } })
  const at = '2026-01-01T00:00:00.000Z'
  const self_registered = { registered_at: at, lapses_at: at, undeclared: 'true' }
  const hash = { ...(await readClient(storage, 'shop')), ...self_registered }
  await storage.records.put({ kind: CLIENT, id: 'shop', hash, ttl: 60 })
  const { version } = await run('read_client', ONE)
  const unlabelled = { ...ONE, body: { allowed_scopes: ['b'], undeclared: true } }
  const kept = await run('replace_client', { ...unlabelled, version })
  t.match(await readClient(storage, 'shop'), { ...self_registered, managed_by: undefined })
  await t.rejects(run('replace_client', { ...ONE, version: kept.version, body: { managed_by: 'a b' } }), {
    code: 'invalid_field',
    fields: [{ field: 'managed_by' }],
  })
  const body = { allowed_scopes: ['b'], managed_by: 'team' }
  const labelled = await run('replace_client', { ...ONE, version: kept.version, body })
  // What another server knew of it before.
  const settings = { client_registration_ttl: 60, refresh_token_ttl: 60 }
  await keepRegistered({ settings, storage, now: () => now }, { client_id: 'shop' }, at)
  now += 61_000
  const { managed_by, registered_at, lapses_at, undeclared } = (await readClient(storage, 'shop')) ?? {}
  t.strictSame([managed_by, registered_at, lapses_at, undeclared], ['team', undefined, undefined, undefined])
  const marked = { ...ONE, version: labelled.version, body: { undeclared: true } }
  t.match((await run('change_client', marked)).body, { undeclared: true, managed_by: 'team' })
})
