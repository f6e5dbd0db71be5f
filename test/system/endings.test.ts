// Suite: test, proofs
// What a client or a user holds ends with it: at once at the token endpoint, and wherever storage is asked.

import type { Test } from 'tap'
import { removeClient, setDisabled } from '../../cli/client/state.ts'
import { disableUser, enableUser, removeUser } from '../../cli/user/state.ts'
import { USER } from '../../src/accounts/user-kind.ts'
import { CLIENT } from '../../src/clients/client-kind.ts'
import { formatClient } from '../../src/clients/client-record.ts'
import { readConfig } from '../../src/config/config.ts'
import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../../src/config/environment.ts'
import { StorageUnavailable } from '../../src/storage/errors.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { ACCEPTED, accepts, dead, inactive, REFUSED, refused, unavailable } from '../support/expect.ts'
import { forEachService, type Lifecycle, type Place, tokensOf } from '../support/lifecycle.ts'
import { observed } from '../support/observed.ts'
import { changeClient, changeUser, createClient, createUser } from '../support/records.ts'
import { basic, bearer, CLIENTS } from '../support/service.ts'
import { until } from '../support/until.ts'

/** What a command works with. */
const openedOn = (storage: Storage) => ({ storage, config: readConfig({}), now: Date.now() })

const WEB = basic('web')
const OWN_ACCEPTED = { api: 200, active: true }
const OWN_REFUSED = { api: 401, active: false }

/** Everything that the client `web` may hold. */
async function holdings({ codeFor, signIn, clientToken }: Lifecycle) {
  return { user: await signIn('web'), code: await codeFor('web'), own: await clientToken('web') }
}

/** Waits until a replica has heard of the change: the second that it has. */
const knows = (service: Lifecycle, good: boolean) =>
  until(`the client is ${good ? 'good' : 'refused'}`, async () => {
    const { status } = await service.token({ grant_type: 'client_credentials' }, WEB)
    return status === (good ? 200 : 401)
  })

/** Asserts that nothing of a client's is good for anything. */
async function nothingGoes(
  t: Test,
  service: Lifecycle,
  { user, code, own }: Awaited<ReturnType<typeof holdings>>,
) {
  for (const [what, answer] of Object.entries({
    'client credentials': await service.token({ grant_type: 'client_credentials' }, WEB),
    'a code': await service.redeem('web', code),
    'a refresh token': await service.refresh('web', user.refresh_token),
    introspection: await service.introspect('web', user.access_token),
    revocation: await service.revoke('web', user.access_token),
  })) {
    t.match(answer, { status: 401, json: { error: 'invalid_client' } }, what)
  }
  t.equal((await service.authorize({ client_id: 'web' })).status, 400, 'it is never redirected to')
  await dead(t, service, [user], 'its user')
  t.match(await accepts(service, own), OWN_REFUSED, 'its own token')
  const { headers } = await service.get('/api/resource', bearer(own))
  t.match(headers['www-authenticate'], /error="invalid_token"/)
}

/** Asserts that all of it is good, and uses it up. */
async function allGoes(
  t: Test,
  service: Lifecycle,
  { user, code, own }: Awaited<ReturnType<typeof holdings>>,
) {
  t.strictSame(await accepts(service, user.access_token), ACCEPTED)
  t.match(await accepts(service, own), OWN_ACCEPTED)
  t.equal((await service.redeem('web', code)).status, 200)
  t.equal((await service.refresh('web', user.refresh_token)).status, 200)
}

/** What makes a client good for nothing, and what makes it good again. */
const STATES: Record<string, [end: Change, mend: Change, formats?: readonly AccessTokenFormat[]]> = {
  'disabled by the command': [
    (storage) => setDisabled(storage, 'web', true),
    (storage) => setDisabled(storage, 'web', false),
  ],
  'disabled by hand': [byHand('disabled', 'true'), byHand('disabled', 'false'), ['opaque']],
  'malformed by hand': [byHand('is_public', 'maybe'), byHand('is_public', 'false'), ['jwt']],
  'removed by hand': [
    async (storage, { redis }) =>
      redis ? redis.server.cli('DEL', redis.keys.record(CLIENT, 'web')) : storage.records.take(CLIENT, 'web'),
    (storage) => createClient(storage, 'web', formatClient(CLIENTS.web)),
    ['opaque'],
  ],
}
type Change = (storage: Storage, place: Place) => Promise<unknown>

function byHand(field: string, value: string): Change {
  return async (storage, { redis }) =>
    redis
      ? redis.server.cli('HSET', redis.keys.record(CLIENT, 'web'), field, value)
      : changeClient(storage, 'web', { set: { [field]: value }, unset: [] })
}

for (const [state, [end, mend, formats]] of Object.entries(STATES)) {
  forEachService(
    `a client that is ${state} holds nothing, until it is good again`,
    async (t, start, place) => {
      const replicas = [await start(), await start()] as const
      const held = await holdings(replicas[0])
      const other = await replicas[0].signIn('app')
      const storage = place.open(t)
      // Every replica has the record at hand.
      for (const replica of replicas) t.strictSame(await accepts(replica, held.user.access_token), ACCEPTED)
      await until('storage answers', () =>
        storage.probe().then(
          () => true,
          () => false,
        ),
      )
      await end(storage, place)
      for (const replica of replicas) {
        await knows(replica, false)
        await nothingGoes(t, replica, held)
        t.strictSame(await accepts(replica, other.access_token), ACCEPTED, "another client's are good")
      }
      await mend(storage, place)
      for (const replica of replicas) await knows(replica, true)
      await allGoes(t, replicas[1], held)
    },
    formats,
    state.endsWith('by hand') ? ['redis'] : undefined,
  )
}

forEachService(
  'where nobody asks, a JWT of a disabled client is good until it expires',
  async (t, start) => {
    const service = await start({ bearer_check_revocation: false })
    const { user, own } = await holdings(service)
    await setDisabled(service.storage, 'web', true)
    await knows(service, false)
    t.strictSame(await accepts(service, user.access_token), { ...REFUSED, api: 200 })
    t.match(await accepts(service, own), { api: 200, active: false })
  },
  ['jwt'],
)

forEachService('a new client of the same name inherits nothing', async (t, start, place, format) => {
  const replicas = [await start(), await start()] as const
  const held = await holdings(replicas[0])
  const other = await replicas[0].signIn('app')
  const { text } = await removeClient(replicas[0].storage, 'web')
  t.match(text, format === 'jwt' ? 'Ended: 1 sign-in, 1 unredeemed code.' : ', 1 token of no sign-in.')
  for (const replica of replicas) await nothingGoes(t, replica, held)
  await createClient(replicas[0].storage, 'web', formatClient(CLIENTS.web))
  for (const replica of replicas) {
    await knows(replica, true)
    await dead(t, replica, [held.user], 'its user')
    refused(t, await replica.refresh('web', held.user.refresh_token), 'its refresh token')
    t.match(await replica.redeem('web', held.code), { status: 400, json: { error: 'invalid_grant' } })
    // A JWT of its own came of no sign-in and has no record: there is nothing that could end it.
    t.match(await accepts(replica, held.own), format === 'jwt' ? OWN_ACCEPTED : OWN_REFUSED)
    t.strictSame(await accepts(replica, other.access_token), ACCEPTED)
  }
  if (place.redis) t.equal(await place.redis.server.cli('TTL', place.redis.keys.record(CLIENT, 'web')), '-1')
})

for (const [how, end, formats] of [
  ['disabled', disableUser, ACCESS_TOKEN_FORMATS],
  ['removed', removeUser, ['opaque']],
] as const) {
  forEachService(
    `what a user holds ends when the user is ${how}`,
    async (t, start) => {
      const replicas = [await start(), await start()] as const
      const [service] = replicas
      const first = await service.signIn('web')
      const families = [
        first,
        tokensOf(await service.refresh('web', first.refresh_token)),
        await service.signIn(),
      ]
      const code = await service.codeFor('app')
      const bob = tokensOf(await service.redeem('app', await service.code({ subject: 'bob' })))
      const own = await service.clientToken('web')

      const { text } = await end(openedOn(service.storage), 'alice')
      t.match(text, `The user is ${how}. Ended: 2 sign-ins, 1 unredeemed code.`)
      if (how === 'disabled') await enableUser(service.storage, 'alice')
      else await createUser(service.storage, 'alice', { sub: 'alice' })
      for (const replica of replicas) {
        await dead(t, replica, families, 'at the return of the user')
        for (const { refresh_token } of families.slice(0, 2)) {
          refused(t, await replica.refresh('web', refresh_token), 'in the retry window too')
        }
        t.match(await replica.redeem('app', code), { status: 400, json: { error: 'invalid_grant' } })
        t.strictSame(await accepts(replica, bob.access_token), ACCEPTED, 'another user')
        t.match(await accepts(replica, own), OWN_ACCEPTED, "a client's own")
      }
      t.equal((await service.refresh('app', bob.refresh_token)).status, 200)
      t.strictSame(await accepts(service, (await service.signIn()).access_token), ACCEPTED, 'a new sign-in')
    },
    formats,
  )
}

forEachService('a client that cannot be read is neither good nor bad', async (t, start, place) => {
  let away = false
  const unreliable = observed(place.open(t), (call, run) =>
    away && call === 'read client' ? Promise.reject(new StorageUnavailable('not reached')) : run(),
  )
  // Nothing is taken from a cache whose storage does not report changes.
  const storage = { ...unreliable, changes: { watch() {}, isLive: () => false } }
  const service = await start({ storage })
  const { user } = await holdings(service)
  away = true
  for (const path of ['/api/resource', '/userinfo']) {
    unavailable(t, await service.get(path, bearer(user.access_token)), path)
  }
  unavailable(t, await service.introspect('gateway', user.access_token), 'introspection')
  away = false
  t.strictSame(await accepts(service, user.access_token), ACCEPTED)
})

forEachService(
  'a user who is disabled by hand keeps what is there',
  async (t, start, { redis }) => {
    const service = await start()
    const { access_token, refresh_token } = await service.signIn()
    if (redis) await redis.server.cli('HSET', redis.keys.record(USER, 'alice'), 'disabled', 'true')
    else await changeUser(service.storage, 'alice', { set: { disabled: 'true' }, unset: [] })
    t.strictSame(await accepts(service, access_token), ACCEPTED)
    const next = tokensOf(await service.refresh('app', refresh_token))
    const { json } = await disableUser(openedOn(service.storage), 'alice')
    t.match(json, { ended: { grants: 1 } })
    await dead(t, service, [{ ...next, access_token }, next], 'the command ends it')
    inactive(t, await service.introspect('gateway', next.refresh_token), 'and says nothing of it')
  },
  ['opaque'],
)
