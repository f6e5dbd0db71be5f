// The lifetimes configured for a client: in the token response, in the tokens and in storage.
import { decodeJwt } from 'jose'
import type { Test } from 'tap'
import { type ClientDefinition, formatClient } from '../../../../src/clients/record/client-record.ts'
import { forEachService, type Lifecycle, type Place, pass } from '../../../support/lifecycle.ts'
import { changeClient, createClient } from '../../../support/records.ts'
import { type Answer, basic, CLIENTS, codeRequest } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'

/** Registers a client with a new name, so no replica has it cached, and returns its calls. */
async function register(service: Lifecycle, client: ClientDefinition) {
  const { client_id } = client
  await createClient(service.storage, client_id, formatClient(client))
  return {
    async signIn() {
      const { redirect } = await service.authorize({ client_id })
      return service.token(codeRequest(String(redirect.get('code')), { client_id }), basic(client_id))
    },
    refresh: (refresh_token: unknown) =>
      service.token({ grant_type: 'refresh_token', refresh_token: String(refresh_token) }, basic(client_id)),
    credentials: () => service.token({ grant_type: 'client_credentials' }, basic(client_id)),
  }
}

/** Asserts that `seconds` is the time left until an instant, for an answer made between two other instants. */
function isLeft(
  t: Test,
  seconds: unknown,
  end: number,
  [before, after]: readonly [number, number],
  name: string,
) {
  const [most, least] = [before, after].map((instant) => Math.floor((end - instant) / 1000))
  t.ok(Number(seconds) >= Number(least) && Number(seconds) <= Number(most), `${name}: ${seconds} seconds`)
}

/** Sends a request, and returns the instants before and after its answer. */
async function timed(service: Lifecycle, send: () => Promise<Answer>) {
  const before = service.now()
  const { status, json } = await send()
  return { status, json, when: [before, service.now()] as const }
}

/** When a record expires in Redis; undefined without Redis. */
async function endInRedis({ redis }: Place, key: (keys: NonNullable<Place['redis']>['keys']) => string) {
  return redis && Number(await redis.server.cli('PEXPIRETIME', key(redis.keys)))
}

const LIFETIMES = { access_token_ttl: 1800, id_token_ttl: 2400, refresh_token_ttl: 7200 }

forEachService('tokens have the lifetimes of their client', async (t, start, place, format) => {
  const service = await start({ access_token_ttl: 60, id_token_ttl: 60, refresh_token_ttl: 600 })
  const own = await register(service, { ...CLIENTS.web, client_id: 'own', ...LIFETIMES })
  let presented: unknown
  for (const send of [own.signIn, () => own.refresh(presented)]) {
    const { status, json, when } = await timed(service, send)
    t.equal(status, 200)
    t.equal(json.expires_in, 1800)
    const { iat = 0, exp = 0 } = decodeJwt(String(json.id_token))
    t.equal(exp - iat, 2400, 'the id_token')
    const access_token = String(json.access_token)
    if (format === 'jwt') {
      const { iat = 0, exp = 0 } = decodeJwt(access_token)
      t.equal(exp - iat, 1800, 'the access token')
    } else {
      const ends_at = Date.parse(String((await service.storage.families.findToken(access_token))?.expires_at))
      isLeft(t, json.expires_in, ends_at, when, 'the record')
      const ttl_ends = await endInRedis(place, (keys) => keys.token(access_token))
      t.equal(ttl_ends ?? ends_at, ends_at, 'the TTL of the record')
    }
    const refresh_token = String(json.refresh_token)
    const ends_at = Date.parse(String((await service.storage.families.findToken(refresh_token))?.expires_at))
    isLeft(t, json.refresh_token_expires_in, ends_at, when, 'the refresh token')
    t.equal((await endInRedis(place, (keys) => keys.token(refresh_token))) ?? ends_at, ends_at)
    if (send === own.signIn) t.equal(json.refresh_token_expires_in, 7200)
    presented = json.refresh_token
  }

  const alone = await timed(service, own.credentials)
  t.equal(alone.json.expires_in, 1800)
  t.notOk('refresh_token_expires_in' in alone.json, 'only with a refresh token')
  const others = await timed(
    service,
    (await register(service, { ...CLIENTS.web, client_id: 'plain' })).signIn,
  )
  t.match(
    others.json,
    { expires_in: 60, refresh_token_expires_in: 600 },
    'a client without its own lifetimes has those of the server',
  )
})

forEachService(
  'a family lives as long as the longest token of its client',
  async (t, start, place, format) => {
    const service = await start({ access_token_ttl: 1, refresh_token_ttl: 2 })
    const own = await register(service, { ...CLIENTS.web, client_id: 'own', refresh_token_ttl: 60 })
    const { json } = await own.signIn()
    const set = { access_token_ttl: '3600' }
    await changeClient(service.storage, 'own', { set, unset: [] })
    let last = await own.refresh(json.refresh_token)
    await until('the change is visible', async () => {
      if (last.json.expires_in === 3600) return true
      last = await own.refresh(last.json.refresh_token)
      return false
    })
    const access_token = String(last.json.access_token)
    const family = access_token.slice(0, 16)
    const jti = format === 'jwt' ? String(decodeJwt(access_token).jti).slice(0, 16) : family
    const ends = await endInRedis(place, (keys) => keys.family(jti))
    if (ends !== undefined) t.ok(ends >= service.now() + 3590_000, 'the family outlives the access token')
    await pass(service, 70, async () => true)
    t.match(await service.storage.families.findFamily(jti), { status: 'active' })
    t.equal((await service.get('/userinfo', { authorization: `Bearer ${access_token}` })).status, 200)
    t.equal(await service.storage.families.revokeFamily(jti), 'ok')
    t.equal((await service.get('/userinfo', { authorization: `Bearer ${access_token}` })).status, 401)
  },
)

forEachService('refresh_token_expires_in is the remaining lifetime of the family', async (t, start) => {
  const service = await start({ refresh_token_ttl: 250, refresh_retry_window: 30 })
  for (const [client_id, refresh_token_rotation] of [
    ['rotating', true],
    ['keeping', false],
  ] as const) {
    const own = await register(service, { ...CLIENTS.web, client_id, refresh_token_rotation })
    const first = await timed(service, own.signIn)
    t.equal(first.json.refresh_token_expires_in, 250)
    const end = Date.parse(
      String((await service.storage.families.findToken(String(first.json.refresh_token)))?.expires_at),
    )
    let presented = first.json.refresh_token
    for (const round of ['first', 'second', 'third']) {
      service.advance?.(20)
      const { json, when } = await timed(service, () => own.refresh(presented))
      isLeft(t, json.refresh_token_expires_in, end, when, `${client_id}, ${round} refresh`)
      const retry = await timed(service, () => own.refresh(presented))
      isLeft(t, retry.json.refresh_token_expires_in, end, retry.when, `${client_id}, ${round} retry`)
      presented = json.refresh_token
    }
  }
})

forEachService(
  'with an idle lifetime, refresh_token_expires_in is the smaller of the two',
  async (t, start) => {
    const idle = { refresh_token_idle_ttl: 100, refresh_token_ttl: 130, refresh_retry_window: 30 }
    const service = await start(idle)
    for (const [client_id, refresh_token_rotation] of [
      ['rotating', true],
      ['keeping', false],
    ] as const) {
      const own = await register(service, { ...CLIENTS.web, client_id, refresh_token_rotation })
      const first = await timed(service, own.signIn)
      t.equal(first.json.refresh_token_expires_in, 100)
      const { refresh_until } =
        (await service.storage.families.findFamily(String(first.json.refresh_token).slice(0, 16))) ?? {}
      const second = await timed(service, () => own.refresh(first.json.refresh_token))
      t.equal(second.json.refresh_token_expires_in, 100, `${client_id}: refreshed at once`)
      const retry = await own.refresh(first.json.refresh_token)
      t.equal(
        retry.json.refresh_token_expires_in,
        refresh_token_rotation ? 70 : 100,
        'a successor returned to a retry may be 30 seconds old',
      )
      if (service.advance === undefined) continue
      service.advance(60)
      const third = await timed(service, () => own.refresh(second.json.refresh_token))
      isLeft(
        t,
        third.json.refresh_token_expires_in,
        Number(refresh_until),
        third.when,
        'the family ends first',
      )
    }
  },
)

forEachService('a lifetime out of its range makes the client record malformed', async (t, start) => {
  const service = await start()
  const ranges = { access_token_ttl: 86_400, id_token_ttl: 86_400, refresh_token_ttl: 31_622_400 }
  for (const [field, max] of Object.entries(ranges)) {
    const values = [String(max + 1), '0', '-1', '1.5', '1e3', '15m', ' 60', '0x10', '9'.repeat(30)]
    for (const [index, value] of [String(max), '1', ...values].entries()) {
      const client_id = `${field}-${index}`
      const hash = formatClient({ ...CLIENTS.service, client_id })
      await createClient(service.storage, client_id, { ...hash, [field]: value })
      const { status, json } = await service.token({ grant_type: 'client_credentials' }, basic(client_id))
      if (index < 2) t.equal(status, 200, `${field} ${value}`)
      else t.strictSame([status, json.error], [401, 'invalid_client'], `${field} ${value}`)
    }
    t.match(service.log.join(''), new RegExp(`"field":"${field}"`), 'the log names the field')
  }
})
