// A user whose account is disabled, removed, malformed or given to another user by hand: sessions, codes and tokens.

import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import type { Hash } from '../../../src/core/record-hash.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { USER } from '../../../src/users/user-kind.ts'
import { ask, populate, redeem, saveCode, tokensOf } from '../../support/claims/sign-ins.ts'
import { ACCEPTED, accepts, inUse, REFUSED, refused, unavailable } from '../../support/expect.ts'
import { forEachService, type Lifecycle, type Place } from '../../support/lifecycle.ts'
import { observed } from '../../support/observed.ts'
import { changeUser, createUser, readUser, removeUser } from '../../support/records.ts'
import { requestUrl, signInAndAgree, visitorOf } from '../../support/scene/requests.ts'
import { bearer } from '../../support/service.ts'
import { startTwoReplicas } from '../../support/two-replicas.ts'
import { until } from '../../support/until.ts'

type Edit = (storage: Storage, place: Place, record: Hash) => Promise<unknown>

const set =
  (field: string, value: string): Edit =>
  async (storage, { redis }) =>
    redis
      ? redis.server.cli('HSET', redis.keys.record(USER, 'alice'), field, value)
      : changeUser(storage, 'alice', { set: { [field]: value }, unset: [] })
const unset =
  (field: string): Edit =>
  async (storage, { redis }) =>
    redis
      ? redis.server.cli('HDEL', redis.keys.record(USER, 'alice'), field)
      : changeUser(storage, 'alice', { set: {}, unset: [field] })
const remove: Edit = (storage, { redis }) =>
  redis ? redis.server.cli('DEL', redis.keys.record(USER, 'alice')) : removeUser(storage, 'alice')
const create: Edit = (storage, _place, record) => createUser(storage, 'alice', record)

/** What an operator does to a user by hand, and what undoes it. */
const EDITS: Record<string, [end: Edit, mend: Edit, formats?: readonly AccessTokenFormat[]]> = {
  disabled: [set('disabled', 'true'), set('disabled', 'false')],
  'of demo mode': [set('demo', 'true'), set('demo', 'false')],
  removed: [remove, create, ['opaque']],
  malformed: [set('disabled', 'maybe'), set('disabled', 'false'), ['opaque']],
  'without its earlier sessions': [
    set('sessions_end_before', '9000000000000'),
    unset('sessions_end_before'),
    ['opaque'],
  ],
  'of another sub': [set('sub', 'sub-of-another'), set('sub', 'sub-of-alice'), ['jwt']],
}

const SCOPE = { scope: 'openid api.read' }
const ALICE = { subject: 'sub-of-alice', username: 'alice', ...SCOPE }
const BOB = { subject: 'sub-of-bob', username: 'bob', ...SCOPE }

const refresh = (service: Lifecycle, refresh_token: string) =>
  ask(service, 'shop', { grant_type: 'refresh_token', refresh_token })

for (const [state, [end, mend, formats]] of Object.entries(EDITS)) {
  forEachService(
    `an account that is ${state}: nothing of its user is accepted or issued`,
    async (t, start, place) => {
      const { replicas, silent } = await startTwoReplicas(t, start)
      const [one, two] = replicas
      const { storage } = one
      const kept = await tokensOf(one, 'shop', ALICE)
      const used = await tokensOf(one, 'shop', ALICE)
      const codes = [await saveCode(storage, 'shop', ALICE), await saveCode(storage, 'shop', ALICE)] as const
      const other = await tokensOf(one, 'shop', BOB)
      for (const replica of replicas) {
        t.strictSame(await accepts(replica, kept.access_token), ACCEPTED)
        t.equal(await silent(replica), 'code')
      }

      const record = (await readUser(storage, 'alice')) ?? {}
      await end(storage, place, record)
      for (const replica of replicas) {
        await until('the replica knows of the change', async () => {
          const { api } = await accepts(replica, kept.access_token)
          return api === 401
        })
        t.strictSame(await accepts(replica, kept.access_token), REFUSED)
        const { headers } = await replica.get('/api/resource', bearer(kept.access_token))
        t.match(headers['www-authenticate'], /error="invalid_token"/)
        t.strictSame(await inUse(replica, [kept.refresh_token, used.refresh_token]), [])
        t.strictSame(await accepts(replica, other.access_token), ACCEPTED, 'another user')
      }
      t.equal(await silent(two), 'login_required')
      for (const [i, replica] of replicas.entries()) {
        t.match(await redeem(replica, 'shop', codes[i] ?? ''), {
          status: 400,
          json: {
            error: 'invalid_grant',
            error_description: state.includes('earlier')
              ? 'What the user granted was ended.'
              : 'The user of this grant cannot sign in any more.',
          },
        })
      }
      t.match(await refresh(two, used.refresh_token), { status: 400, json: { error: 'invalid_grant' } })

      await mend(storage, place, record)
      for (const replica of replicas) {
        await until('the replica knows of the change', async () => {
          const { api } = await accepts(replica, kept.access_token)
          return api === 200
        })
        t.strictSame(await accepts(replica, kept.access_token), ACCEPTED, 'what was only refused works again')
        t.strictSame(await accepts(replica, used.access_token), REFUSED, 'what was ended stays ended')
        t.equal(await silent(replica), 'login_required', 'and so does the session')
        refused(t, await refresh(replica, used.refresh_token), 'and so does the grant')
      }
      t.equal((await refresh(two, kept.refresh_token)).status, 200)
    },
    formats,
    ['memory', 'redis'],
  )
}

forEachService(
  'while the account cannot be read the answer is 503: nothing is accepted, refused or ended',
  async (t, start, place) => {
    let away = false
    const unreliable = observed(place.open(t), (call, run) =>
      away && call === 'read user' ? Promise.reject(new StorageUnavailable('not reached')) : run(),
    )
    // Accounts are not cached if their changes are not reported.
    const storage = { ...unreliable, changes: { watch() {}, isLive: () => false } }
    const { replicas, silent } = await startTwoReplicas(t, start, { storage })
    const [service] = replicas
    const tokens = await tokensOf(service, 'shop', ALICE)
    const code = await saveCode(storage, 'shop', ALICE)
    const visitor = visitorOf(() => service.fastify)
    await signInAndAgree(visitor)
    away = true
    for (const path of ['/api/resource', '/userinfo']) {
      unavailable(t, await service.get(path, bearer(tokens.access_token)), path)
    }
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      unavailable(t, await service.introspect('gateway', token), 'introspection')
    }
    t.equal((await visitor.request('GET', requestUrl({ prompt: 'none' }))).status, 503)
    unavailable(t, await redeem(service, 'shop', code), 'a code')
    unavailable(t, await refresh(service, tokens.refresh_token), 'a refresh token')
    away = false
    t.strictSame(await accepts(service, tokens.access_token), ACCEPTED)
    t.equal(await silent(service), 'code')
    t.equal((await refresh(service, tokens.refresh_token)).status, 200, 'in the retry window')
  },
)

forEachService('a sign-in without account is not looked up: demo mode, old records', async (t, start) => {
  const demo = await start({ demo: 'public' })
  await populate(demo.storage)
  const cases = [
    [demo, { sid: undefined, username: 'nobody' }],
    [await start({ demo: false }), { username: undefined }],
  ] as const
  for (const [service, without] of cases) {
    const tokens = await tokensOf(service, 'shop', { ...ALICE, ...without })
    const { api, active } = await accepts(service, tokens.access_token)
    t.strictSame({ api, active }, { api: 200, active: true })
    t.equal((await refresh(service, tokens.refresh_token)).status, 200)
  }
})
