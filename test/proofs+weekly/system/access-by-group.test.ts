// A user who leaves the groups of a client, and a rule that is written by hand: each place that asks who may use a client.

import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import { newFamilyId } from '../../../src/core/token-string.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { ask, populate, redeem, saveCode, tokensOf } from '../../support/claims/sign-ins.ts'
import { ACCEPTED, accepts, inUse, REFUSED, refused } from '../../support/expect.ts'
import { forEachService, type Lifecycle, onRedis, type Place } from '../../support/lifecycle.ts'
import { changeClient, changeUser } from '../../support/records.ts'
import { bearer } from '../../support/service.ts'
import { stopwatch } from '../../support/stopwatch.ts'
import { startTwoReplicas } from '../../support/two-replicas.ts'
import { until } from '../../support/until.ts'

const GROUPS = 'claim:groups'
const SCOPE = { scope: 'openid api.read' }
const ALICE = { subject: 'sub-of-alice', username: 'alice', ...SCOPE }
const BOB = { subject: 'sub-of-bob', username: 'bob', ...SCOPE }

type Edit = (storage: Storage, place: Place) => Promise<unknown>

/** Writes a field by hand where there is a Redis. */
const user =
  (value: string, field = GROUPS): Edit =>
  (storage, { redis }) =>
    redis
      ? redis.server.cli('HSET', redis.keys.record(USER, 'alice'), field, value)
      : changeUser(storage, 'alice', { set: { [field]: value } })
const client =
  (allowed_groups: string): Edit =>
  (storage, { redis }) =>
    redis
      ? redis.server.cli('HSET', redis.keys.record(CLIENT, 'shop'), 'allowed_groups', allowed_groups)
      : changeClient(storage, 'shop', { set: { allowed_groups } })

/** What takes the client away from alice, and what gives it back. Bob is in `guests` all the time. */
const EDITS: Record<string, [end: Edit, mend: Edit, formats?: readonly AccessTokenFormat[]]> = {
  'L1: a user who leaves the group': [user('["other"]'), user('["other","staff"]')],
  'L2: a user whose groups are malformed': [user('[["staff"]]'), user('"staff"'), ['opaque']],
  'L2: a group that is deleted from the rule': [client('guests'), client('guests Human%20Resources staff')],
}

const refresh = (service: Lifecycle, refresh_token: string) =>
  ask(service, 'shop', { grant_type: 'refresh_token', refresh_token })

async function withRule(storage: Storage): Promise<void> {
  await changeUser(storage, 'alice', { set: { [GROUPS]: '["staff","other"]' } })
  await changeUser(storage, 'bob', { set: { [GROUPS]: '["guests"]' } })
  await changeClient(storage, 'shop', { set: { allowed_groups: 'staff guests' } })
}

for (const [name, [end, mend, formats]] of Object.entries(EDITS)) {
  forEachService(
    `${name}: the client is lost at once, and the session stays`,
    async (t, start, place) => {
      const { replicas, silent } = await startTwoReplicas(t, start)
      const [one, two] = replicas
      const { storage } = one
      await withRule(storage)
      const kept = await tokensOf(one, 'shop', ALICE)
      const used = await tokensOf(one, 'shop', ALICE)
      const codes = [await saveCode(storage, 'shop', ALICE), await saveCode(storage, 'shop', ALICE)] as const
      const elsewhere = await tokensOf(one, 'letter', ALICE)
      const other = await tokensOf(one, 'shop', BOB)
      for (const replica of replicas) {
        await until('the rule is known', async () => (await silent(replica)) === 'code')
        t.strictSame(await accepts(replica, kept.access_token), ACCEPTED)
      }

      const elapsed = stopwatch()
      await end(storage, place)
      for (const replica of replicas) {
        await until('the replica knows of the change', async () => {
          const { api } = await accepts(replica, kept.access_token)
          return api === 401
        })
      }
      const took = elapsed()
      t.ok(took < 1000, `in every replica within a second: ${took} ms`)
      for (const replica of replicas) {
        t.strictSame(await accepts(replica, kept.access_token), REFUSED)
        const { headers } = await replica.get('/api/resource', bearer(kept.access_token))
        t.match(headers['www-authenticate'], /error="invalid_token"/)
        t.notMatch(headers['www-authenticate'], /group/, 'the client does not learn why')
        t.strictSame(await inUse(replica, [kept.refresh_token, used.refresh_token]), [])
        t.strictSame(await accepts(replica, other.access_token), ACCEPTED, 'another member')
        t.equal((await accepts(replica, elsewhere.access_token)).active, true, 'another client')
        t.equal(await silent(replica), 'access_denied')
      }
      const ended = {
        status: 400,
        json: {
          error: 'invalid_grant',
          error_description: 'The user of this grant may not use this client any more.',
        },
      }
      for (const [i, replica] of replicas.entries()) {
        t.match(await redeem(replica, 'shop', codes[i] ?? ''), ended, 'a code')
      }
      t.match(await refresh(two, used.refresh_token), ended, 'a refresh token')

      await mend(storage, place)
      for (const replica of replicas) {
        await until('the replica knows of the change', async () => {
          const { api } = await accepts(replica, kept.access_token)
          return api === 200
        })
        t.strictSame(await accepts(replica, kept.access_token), ACCEPTED, 'what was only refused works again')
        t.strictSame(await accepts(replica, used.access_token), REFUSED, 'what was ended stays ended')
        refused(t, await refresh(replica, used.refresh_token), 'and so does the grant')
        t.equal(await silent(replica), 'code', 'the session goes on')
      }
      t.equal((await refresh(two, kept.refresh_token)).status, 200)
    },
    formats,
    ['memory', 'redis'],
  )
}

forEachService(
  'L2: an empty rule that is written by hand closes the client for everybody',
  async (t, start, place) => {
    const { replicas, silent } = await startTwoReplicas(t, start)
    const [service] = replicas
    await withRule(service.storage)
    const tokens = await tokensOf(service, 'shop', ALICE)
    await client('')(service.storage, place)
    await until('the rule is known', async () => (await accepts(service, tokens.access_token)).api === 401)
    t.equal(await silent(service), 'access_denied')
  },
  ['opaque'],
  ['memory', 'redis'],
)

forEachService(
  'a sign-in that proves no account passes no rule: demo mode, old records',
  async (t, start) => {
    const service = await start({ demo: 'public' })
    const { storage } = service
    await populate(storage)
    for (const without of [
      { sid: undefined },
      { sid: undefined, username: 'nobody' },
      { username: undefined },
    ]) {
      await changeClient(storage, 'shop', { set: {}, unset: ['allowed_groups'] })
      const tokens = await tokensOf(service, 'shop', { ...ALICE, ...without })
      const { api, active } = await accepts(service, tokens.access_token)
      t.strictSame({ api, active }, { api: 200, active: true }, 'without a rule')
      await withRule(storage)
      await until('the rule is known', async () => (await accepts(service, tokens.access_token)).api === 401)
      t.strictSame(await accepts(service, tokens.access_token), REFUSED, JSON.stringify(without))
      t.match(await refresh(service, tokens.refresh_token), { status: 400, json: { error: 'invalid_grant' } })
    }
  },
)

onRedis(
  'a token whose record names a user, but no grant, passes no rule',
  async (t, start, { server, keys }) => {
    const service = await start({ demo: false })
    const { storage } = service
    await populate(storage)
    const issued = (await tokensOf(service, 'shop', ALICE)).access_token
    const access_token = `${newFamilyId()}.${issued.slice(17)}`
    const fields = { ...(await storage.families.findToken(issued)), jti: access_token }
    await server.cli('HSET', keys.token(access_token), ...Object.entries(fields).flat())
    t.equal((await accepts(service, access_token)).active, true, 'as it was written by hand')
    await withRule(storage)
    await until('the rule is known', async () => (await accepts(service, access_token)).api === 401)
  },
  ['opaque'],
)
