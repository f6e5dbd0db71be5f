// Previews on each storage: no more than there may be, and keys that end.
import t from 'tap'
import { MAX_PREVIEWS, placesOf } from '../../../../src/clients/previews/places.ts'
import { PREVIEWS_OF } from '../../../../src/clients/previews/previews-record.ts'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { onRedis } from '../../../support/matrix.ts'
import { onEachStorage, operatorOn } from '../../../support/operator.ts'
import { previewUri } from '../../../support/previews.ts'
import { createClient, readClient } from '../../../support/records.ts'
import { CLIENTS } from '../../../support/service.ts'

const SHOP = { ...CLIENTS.app, client_id: 'shop', preview_hosts: ['preview.example.com'] }
const params = { client_id: 'shop' }

onEachStorage(t, 'however many ask at once, no more are alive than may be', async (t, storage) => {
  await createClient(storage, 'shop', formatClient(SHOP))
  const { run } = operatorOn(storage)
  const labels = Array.from({ length: MAX_PREVIEWS - 3 }, (_, i) => `pr-${i}`)
  for (const label of labels)
    await run('make_preview', { params, body: { redirect_uri: previewUri(label), lives: 600 } })
  const made = await Promise.allSettled(
    Array.from({ length: 40 }, (_, i) =>
      run('make_preview', { params, body: { redirect_uri: previewUri(`x-${i % 10}`), lives: 600 } }),
    ),
  )
  const ids = new Set(made.flatMap((one) => (one.status === 'fulfilled' ? [one.value.body.client_id] : [])))
  t.ok(ids.size <= 3, 'each redirect URI has one')
  for (const one of made) if (one.status === 'rejected') t.equal(one.reason.code, 'conflict')
  const places = await placesOf(storage, 'shop')
  t.equal(places.size <= MAX_PREVIEWS, true)
  let alive = 0
  for await (const { id } of storage.records.list({ name: 'client' }))
    if (id.startsWith('preview-')) alive += 1
  t.ok(alive <= MAX_PREVIEWS, `${alive} are alive`)
})

onEachStorage(t, 'those that lapsed give their places back', async (t, storage) => {
  await createClient(storage, 'shop', formatClient(SHOP))
  let now = Date.now()
  const { run } = operatorOn(storage, { now: () => now })
  const labels = Array.from({ length: MAX_PREVIEWS }, (_, i) => `pr-${i}`)
  for (const label of labels)
    await run('make_preview', { params, body: { redirect_uri: previewUri(label), lives: 600 } })
  const body = { redirect_uri: previewUri('another') }
  await t.rejects(run('make_preview', { params, body }), { code: 'conflict', message: /the most/ })
  now += 601_000
  t.match((await run('make_preview', { params, body })).body, { renewed: false })
  t.equal((await placesOf(storage, 'shop')).size, 1)
})

onRedis(t, 'its keys end with it', async (t, { storage, server, keys }) => {
  await createClient(storage, 'shop', formatClient(SHOP))
  const { run } = operatorOn(storage)
  const body = { redirect_uri: previewUri(), lives: 600 }
  const { client_id } = (await run('make_preview', { params, body })).body
  const ttls = async () =>
    Promise.all(
      [keys.client(String(client_id)), keys.record(PREVIEWS_OF, 'shop')].map(async (key) =>
        Number(await server.cli('TTL', key)),
      ),
    )
  for (const ttl of await ttls()) t.ok(ttl > 590 && ttl <= 600, String(ttl))
  await run('make_preview', { params, body: { ...body, lives: 3600 } })
  for (const ttl of await ttls()) t.ok(ttl > 3590 && ttl <= 3600, String(ttl))
  t.match(await readClient(storage, String(client_id)), { preview_of: 'shop' })
})
