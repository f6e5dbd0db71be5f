// A consent that an operator deletes or narrows by hand, or that is over: the user is asked again, in a session that
// knows the client, too.

import { CONSENT, consentId } from '../../../src/interaction/consent.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { forEachService, type Place } from '../../support/lifecycle.ts'
import { requestUrl } from '../../support/scene/requests.ts'
import { startTwoReplicas } from '../../support/two-replicas.ts'
import { until } from '../../support/until.ts'
import { asDeparture } from '../../support/visitor.ts'

const ID = consentId('sub-of-alice', 'shop')

type Edit = (storage: Storage, place: Place) => Promise<unknown>

const EDITS: Record<string, Edit> = {
  deleted: (storage, { redis }) =>
    redis ? redis.server.cli('DEL', redis.keys.record(CONSENT, ID)) : storage.records.take(CONSENT, ID),
  narrowed: (storage, { redis }) =>
    redis
      ? redis.server.cli('HSET', redis.keys.record(CONSENT, ID), 'scope', 'openid')
      : storage.records.change(CONSENT, ID, { set: { scope: 'openid' } }),
}

for (const [state, edit] of Object.entries(EDITS)) {
  forEachService(
    `after a consent was ${state} by hand the user is asked again`,
    async (t, start, place) => {
      const { replicas, visitor, silent } = await startTwoReplicas(t, start)
      for (const replica of replicas) t.equal(await silent(replica), 'code')
      await edit(replicas[0].storage, place)
      for (const replica of replicas) {
        await until('the replica asks again', async () => (await silent(replica)) === 'consent_required')
      }
      const page = await visitor.page(requestUrl())
      t.match(page.title, /The Shop/)
      t.ok(asDeparture(await visitor.submit(page, { decision: 'allow' })).told.has('code'))
      for (const replica of replicas) {
        await until('the new consent counts', async () => (await silent(replica)) === 'code')
      }
    },
    ['opaque'],
    ['memory', 'redis'],
  )
}

forEachService(
  'a consent that is over is asked for again, also if it is cached',
  async (t, start, { clock }) => {
    if (clock === undefined) return
    const { replicas, visitor, silent } = await startTwoReplicas(t, start, { consent_ttl: 600 })
    const [service] = replicas
    clock.ahead += 599_000
    t.equal(await silent(service), 'code')
    clock.ahead += 1000
    t.equal(await silent(service), 'consent_required')
    t.match((await visitor.page(requestUrl())).title, /The Shop/)
  },
  ['opaque'],
  ['memory'],
)
