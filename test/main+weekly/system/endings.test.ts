// Disabling or removing a client or user ends its tokens: at once at the token endpoint and wherever storage is used.

import type { Test } from 'tap'
import { hostCalls } from '../../../cli/calls.ts'
import { disableClient, removeClientOf } from '../../../cli/client/state.ts'
import { disableUser, enableUser, removeUser } from '../../../cli/user/state.ts'
import { insertClient } from '../../../src/admin/clients/create.ts'
import { CLIENT } from '../../../src/clients/record/client-kind.ts'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { SETTLES_IN } from '../../../src/clients/record/removed-client.ts'
import { readConfig } from '../../../src/config/config.ts'
import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../../../src/config/environment.ts'
import { StorageUnavailable } from '../../../src/storage/errors.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { ACCEPTED, accepts, dead, REFUSED, refused, unavailable } from '../../support/expect.ts'
import { forEachService, type Lifecycle, type Place, tokensOf } from '../../support/lifecycle.ts'
import { observed } from '../../support/observed.ts'
import { changeClient, createClient, createUser } from '../../support/records.ts'
import { basic, bearer, CLIENTS } from '../../support/service.ts'
import { until, untilAnswers } from '../../support/until.ts'

/** What a command needs. */
const openedOn = (storage: Storage) => ({
  storage,
  config: readConfig({}),
  guesses_issuer: false,
  openOtherForm: () => storage,
  report() {},
  now: Date.now,
})

const WEB = basic('web')
const OWN_ACCEPTED = { api: 200, active: true }
const OWN_REFUSED = { api: 401, active: false }

/** Everything that the client `web` may hold. */
async function holdings({ codeFor, signIn, clientToken }: Lifecycle) {
  return { user: await signIn('web'), code: await codeFor('web'), own: await clientToken('web') }
}

/** Waits until a replica knows of the change; it has one second. */
const knows = (service: Lifecycle, good: boolean) =>
  until(`the client is ${good ? 'accepted' : 'refused'}`, async () => {
    const { status } = await service.token({ grant_type: 'client_credentials' }, WEB)
    return status === (good ? 200 : 401)
  })

/** Asserts that everything of a client is refused. */
async function assertRefused(
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
  t.equal((await service.authorize({ client_id: 'web' })).status, 400, 'no redirect')
  await dead(t, service, [user], 'the tokens of its user')
  t.match(await accepts(service, own), OWN_REFUSED, 'the token of the client itself')
  const { headers } = await service.get('/api/resource', bearer(own))
  t.match(headers['www-authenticate'], /error="invalid_token"/)
}

/** Asserts that everything of a client is accepted, and uses it up. */
async function assertAccepted(
  t: Test,
  service: Lifecycle,
  { user, code, own }: Awaited<ReturnType<typeof holdings>>,
) {
  t.strictSame(await accepts(service, user.access_token), ACCEPTED)
  t.match(await accepts(service, own), OWN_ACCEPTED)
  t.equal((await service.redeem('web', code)).status, 200)
  t.equal((await service.refresh('web', user.refresh_token)).status, 200)
}

/** What makes a client unusable, and what undoes it. */
const STATES: Record<string, [end: Change, mend: Change, formats?: readonly AccessTokenFormat[]]> = {
  'disabled by the command': [
    (storage) => disableClient(hostCalls(openedOn(storage)), 'web', true),
    (storage) => disableClient(hostCalls(openedOn(storage)), 'web', false),
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
    `everything of a client that is ${state} is refused until that is undone`,
    async (t, start, place) => {
      const replicas = [await start(), await start()] as const
      const held = await holdings(replicas[0])
      const other = await replicas[0].signIn('app')
      const storage = place.open(t)
      // The record is in the cache of every replica.
      for (const replica of replicas) t.strictSame(await accepts(replica, held.user.access_token), ACCEPTED)
      await untilAnswers(storage)
      await end(storage, place)
      for (const replica of replicas) {
        await knows(replica, false)
        await assertRefused(t, replica, held)
        t.strictSame(await accepts(replica, other.access_token), ACCEPTED, 'another client is not affected')
      }
      await mend(storage, place)
      for (const replica of replicas) await knows(replica, true)
      await assertAccepted(t, replicas[1], held)
    },
    formats,
    state.endsWith('by hand') ? ['redis'] : undefined,
  )
}

forEachService(
  'without a revocation check the API accepts a JWT of a disabled client until it expires',
  async (t, start) => {
    const service = await start({ bearer_check_revocation: false })
    const { user, own } = await holdings(service)
    await disableClient(hostCalls(openedOn(service.storage)), 'web', true)
    await knows(service, false)
    t.strictSame(await accepts(service, user.access_token), { ...REFUSED, api: 200 })
    t.match(await accepts(service, own), { api: 200, active: false })
  },
  ['jwt'],
)

forEachService('a new client with the same client_id inherits no tokens', async (t, start, place) => {
  const replicas = [await start(), await start()] as const
  const held = await holdings(replicas[0])
  const other = await replicas[0].signIn('app')
  const { storage, now } = replicas[0]
  const command = { ...openedOn(storage), now }
  const { text } = await removeClientOf(hostCalls(command), 'web')
  t.match(text, 'Ended: 2 sign-ins.')
  for (const replica of replicas) await assertRefused(t, replica, held)
  if (place.clock) place.clock.ahead += SETTLES_IN
  await until('the id is free again', async () => {
    return (await insertClient(command, 'web', formatClient(CLIENTS.web))) === 'ok'
  })
  for (const replica of replicas) {
    await knows(replica, true)
    await dead(t, replica, [held.user], 'the tokens of its user')
    refused(t, await replica.refresh('web', held.user.refresh_token), 'its refresh token')
    t.match(await replica.redeem('web', held.code), { status: 400, json: { error: 'invalid_grant' } })
    t.match(await accepts(replica, held.own), OWN_REFUSED, 'its own token, which is in no list')
    const own = await replica.clientToken('web')
    t.match(await accepts(replica, own), OWN_ACCEPTED, 'the new client gets tokens of its own')
    t.strictSame(await accepts(replica, other.access_token), ACCEPTED)
  }
  if (place.redis) t.equal(await place.redis.server.cli('TTL', place.redis.keys.record(CLIENT, 'web')), '-1')
})

for (const [how, end, formats] of [
  ['disabled', disableUser, ACCESS_TOKEN_FORMATS],
  ['removed', removeUser, ['opaque']],
] as const) {
  forEachService(
    `the tokens, codes and sign-ins of a user end when the user is ${how}`,
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

      const { text } = await end(hostCalls(openedOn(service.storage)), 'alice')
      t.match(text, `The user is ${how}. Ended: 3 sign-ins.`)
      if (how === 'disabled') await enableUser(hostCalls(openedOn(service.storage)), 'alice')
      else await createUser(service.storage, 'alice', { sub: 'alice' })
      for (const replica of replicas) {
        await dead(t, replica, families, 'after the user is back')
        for (const { refresh_token } of families.slice(0, 2)) {
          refused(t, await replica.refresh('web', refresh_token), 'also in the retry window')
        }
        t.match(await replica.redeem('app', code), { status: 400, json: { error: 'invalid_grant' } })
        t.strictSame(await accepts(replica, bob.access_token), ACCEPTED, 'another user')
        t.match(await accepts(replica, own), OWN_ACCEPTED, 'a token of the client itself')
      }
      t.equal((await service.refresh('app', bob.refresh_token)).status, 200)
      t.strictSame(await accepts(service, (await service.signIn()).access_token), ACCEPTED, 'a new sign-in')
    },
    formats,
  )
}

forEachService(
  'if the client record cannot be read, its tokens get 503, neither accepted nor refused',
  async (t, start, place) => {
    let away = false
    const unreliable = observed(place.open(t), (call, run) =>
      away && call === 'read client' ? Promise.reject(new StorageUnavailable('not reached')) : run(),
    )
    // The cache is not used if its storage does not report changes.
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
  },
)
