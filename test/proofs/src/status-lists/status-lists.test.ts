// Status lists: whether a JWT was ended, for APIs that verify JWTs by themselves.
import { gunzipSync } from 'node:zlib'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { writeRestoreMark } from '../../../../src/keys/restore-mark.ts'
import { RESOURCE } from '../../../../src/resources/resource-record.ts'
import { ListWriter } from '../../../../src/status-lists/writer.ts'
import { BILLING, exchangeAs, ORDERS, signInFor, startChain } from '../../../support/exchange.ts'
import { forEachService, type Lifecycle } from '../../../support/lifecycle.ts'
import { observed } from '../../../support/observed.ts'
import { changeClient, removeClient } from '../../../support/records.ts'
import { ISSUER } from '../../../support/service.ts'
import { bitOf, endedOf, LISTED, readList, setBits, startListed } from '../../../support/status-lists.ts'
import { until } from '../../../support/until.ts'

const JWT = ['jwt'] as const

/** Waits until a list is published. */
const published = (service: Lifecycle, list: string) =>
  until('the list is published', async () => (await readList(service, list)) !== undefined)

forEachService(
  'a JWT names its bit, and the list is a signed JWT about its own address',
  async (t, start) => {
    const service = await startListed(start)
    const { access_token } = await service.signIn()
    const own = await service.clientToken('service')
    const [bit, other] = [bitOf(access_token), bitOf(own)]
    if (bit === undefined || other === undefined) throw new Error('both have a bit')
    t.equal(bit.list, other.list)
    t.not(bit.index, other.index)
    await published(service, bit.list)
    const answer = await service.get(`/status/${bit.list}`, { origin: 'https://api.example' })
    t.match(answer.headers, {
      'content-type': 'application/statuslist+jwt',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=15',
      vary: /accept-encoding/,
    })
    const { json } = await service.get('/.well-known/jwks.json')
    const keys = createLocalJWKSet(json as never)
    const { payload } = await jwtVerify(answer.text, keys, { typ: 'statuslist+jwt' })
    t.match(payload, { sub: `${ISSUER}/status/${bit.list}`, ttl: 15, status_list: { bits: 1 } })
    t.equal(Number(payload.exp) - Number(payload.iat), 60)
    t.match(decodeProtectedHeader(answer.text), { alg: 'ES256', kid: /./ })
    t.equal((await readList(service, bit.list))?.bytes.length, 2 ** 17)

    const zipped = await service.request({
      ...{ method: 'GET', url: `/status/${bit.list}`, headers: { 'accept-encoding': 'br, gzip' } },
    })
    t.equal(zipped.headers['content-encoding'], 'gzip')
    t.not(zipped.headers.etag, answer.headers.etag)
    t.equal((await service.get('/status/unknown')).status, 404)
  },
  JWT,
)

forEachService(
  'who has the list already gets no other until there is one',
  async (t, start) => {
    const service = await startListed(start, { list_timing: { written_every: 3_600_000, read_every: 20 } })
    const { list = '' } = bitOf((await service.signIn()).access_token) ?? {}
    await published(service, list)
    const { headers } = await service.get(`/status/${list}`)
    const again = await service.get(`/status/${list}`, { 'if-none-match': String(headers.etag) })
    t.match(again, { status: 304, text: '' })
    t.equal((await service.get(`/status/${list}`, { 'if-none-match': '"other"' })).status, 200)
    const gzip = await service.fastify.inject({
      url: `/status/${list}`,
      headers: { 'accept-encoding': 'gzip' },
    })
    t.equal(
      gunzipSync(gzip.rawPayload).toString(),
      (await service.get(`/status/${list}`)).text,
      'compressed or not, it is the same',
    )
    const other = await start({ ...LISTED, list_timing: { written_every: 3_600_000, read_every: 20 } })
    await published(other, list)
    t.equal(
      (await other.get(`/status/${list}`)).headers.etag,
      headers.etag,
      'every server has the same bytes',
    )
    service.advance?.(40)
    for (const path of [`/status/${list}`, '/status'])
      t.match(await service.get(path), { status: 503, headers: { 'retry-after': /./ } }, path)
  },
  JWT,
)

forEachService(
  'of servers that write at once one does',
  async (t, start) => {
    const timing = { written_every: 3_600_000, read_every: 20 }
    const service = await startListed(start, { list_timing: timing })
    const { list = '' } = bitOf((await service.signIn()).access_token) ?? {}
    await published(service, list)
    let written = 0
    const records = observed(service.storage, (call, run) => {
      if (call === 'put status-list') written += 1
      return run()
    }).records
    const { redmint } = service.fastify
    const context = { ...redmint, storage: { ...redmint.storage, records } }
    const servers = [1, 2, 3].map(() => new ListWriter(context, 0))
    service.advance?.(1)
    await Promise.all(servers.map((server) => server.write()))
    t.equal(written, 1)
  },
  JWT,
)

forEachService(
  'the metadata says where the addresses of all lists are',
  async (t, start) => {
    const service = await startListed(start)
    const { status_list_aggregation_endpoint: address } = (
      await service.get('/.well-known/oauth-authorization-server')
    ).json
    t.equal(address, `${ISSUER}/status`)
    t.match(await service.get('/status'), { status: 200, json: { status_lists: [] } }, 'before there is one')
    const { list = '' } = bitOf((await service.signIn()).access_token) ?? {}
    await published(service, list)
    const answer = await service.get('/status', { origin: 'https://api.example' })
    t.match(answer.headers, {
      'content-type': /^application\/json\b/,
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=15',
    })
    t.strictSame(answer.json, { status_lists: [`${ISSUER}/status/${list}`] })
    const headers = { 'if-none-match': String(answer.headers.etag) }
    t.equal((await service.fastify.inject({ url: '/status', headers })).statusCode, 304)
  },
  JWT,
)

forEachService('off, there is no list, and the metadata says nothing', async (t, start) => {
  const { get } = await start({})
  t.equal((await get('/status')).status, 404)
  t.notOk('status_list_aggregation_endpoint' in (await get('/.well-known/oauth-authorization-server')).json)
})

/** What ends a token of alice at `web`, and what comes of it. */
const ENDINGS: Readonly<
  Record<string, (service: Lifecycle, tokens: { access_token: string; refresh_token: string }) => unknown>
> = {
  'the token is revoked': ({ revoke }, { access_token }) => revoke('web', access_token),
  'its refresh token is revoked': ({ revoke }, { refresh_token }) => revoke('web', refresh_token),
  'its family is ended': ({ storage }, { access_token }) =>
    storage.families.endFamily(jtiOf(access_token).slice(0, 16), 600),
  'its refresh token is used twice': async ({ refresh }, { refresh_token }) => {
    const { json } = await refresh('web', refresh_token)
    await refresh('web', String(json.refresh_token))
    await refresh('web', refresh_token)
  },
  'its client is disabled': ({ storage }) => changeClient(storage, 'web', { set: { disabled: 'true' } }),
  'its client is removed': ({ storage }) => removeClient(storage, 'web'),
  'all grants of its client are ended': ({ storage, now }) =>
    changeClient(storage, 'web', { set: { grants_end_before: String(now() + 1) } }),
  'its client is for a group now': ({ storage }) =>
    changeClient(storage, 'web', { set: { allowed_groups: 'staff' } }),
}

const jtiOf = (jwt: string) =>
  String(JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()).jti)

for (const [name, end] of Object.entries(ENDINGS)) {
  forEachService(
    `the list says it when ${name}`,
    async (t, start) => {
      const service = await startListed(start)
      const tokens = await service.signIn('web')
      const [other, own] = [await service.signIn('app'), await service.clientToken('service')]
      const all = [tokens.access_token, other.access_token, own]
      t.strictSame(await endedOf(service, ...all), [false, false, false])
      await end(service, tokens)
      t.strictSame(await endedOf(service, ...all), [true, false, false])
    },
    JWT,
  )
}

forEachService(
  'tokens that were exchanged for others have bits of their own, and end with what they came from',
  async (t, start) => {
    const service = await startChain((options) => startListed(start, options))
    await service.storage.records.put({
      ...{ kind: RESOURCE, id: BILLING },
      hash: { scopes: 'api.read api.write', acting_clients: 'billing', status_list: 'true' },
    })
    const { access_token } = await signInFor(service, ORDERS)
    const { json } = await exchangeAs(service, 'orders', access_token, { resource: BILLING })
    const exchanged = String(json.access_token)
    t.not(bitOf(exchanged)?.index, bitOf(access_token)?.index)
    const both = [access_token, exchanged]
    t.strictSame(await endedOf(service, ...both), [false, false])
    await changeClient(service.storage, 'orders', { set: { disabled: 'true' } })
    t.strictSame(await endedOf(service, ...both), [false, true], 'with its actor')
    await changeClient(service.storage, 'orders', { set: { disabled: 'false' } })
    t.strictSame(await endedOf(service, ...both), [false, false])
    await service.revoke('web', access_token)
    t.strictSame(await endedOf(service, ...both), [true, true], 'with its subject token')
  },
  JWT,
)

forEachService(
  'a retry of a refresh gets the same bit, and tokens without the field have none',
  async (t, start) => {
    const service = await startListed(start)
    const { refresh_token } = await service.signIn()
    const [first, again] = [
      await service.refresh('app', refresh_token),
      await service.refresh('app', refresh_token),
    ].map(({ json }) => String(json.access_token))
    t.ok(bitOf(first ?? ''))
    t.strictSame(bitOf(again ?? ''), bitOf(first ?? ''))
    await changeClient(service.storage, 'app', { set: {}, unset: ['status_list'] })
    await until('the record is read', async () => bitOf((await service.signIn()).access_token) === undefined)
  },
  JWT,
)

forEachService(
  'requests that are refused use up no bits',
  async (t, start) => {
    const service = await startListed(start)
    const before = bitOf((await service.signIn()).access_token)
    const { reserved } = await service.storage.status_lists.read()
    for (let i = 0; i < 1500; i++)
      t.equal((await service.redeem('app', `${'a'.repeat(16)}.${'b'.repeat(43)}`)).status, 400)
    t.equal(bitOf((await service.signIn()).access_token)?.list, before?.list)
    t.equal((await service.storage.status_lists.read()).reserved, reserved)
  },
  JWT,
)

forEachService(
  'E7: neither the number of set bits nor an index tells of tokens',
  async (t, start) => {
    const service = await startListed(start)
    const tokens = []
    for (let i = 0; i < 12; i++) tokens.push((await service.signIn()).access_token)
    const indexes = tokens.map((jwt) => bitOf(jwt)?.index ?? 0)
    const { list = '' } = bitOf(tokens[0] ?? '') ?? {}
    t.notSame(
      indexes,
      indexes.toSorted((one, other) => one - other),
      'they are not given in their order',
    )
    await endedOf(service, tokens[0] ?? '')
    const before = setBits((await readList(service, list)) ?? { bytes: new Uint8Array() })
    for (const jwt of tokens) await service.revoke('app', jwt)
    await endedOf(service, tokens[0] ?? '')
    const after = setBits((await readList(service, list)) ?? { bytes: new Uint8Array() })
    t.equal(before.length, 2 ** 14)
    t.equal(after.length, before.length, 'as many as before')
    const added = after.filter((index) => !before.includes(index))
    t.ok(added.length > 4 * indexes.length, 'and more have changed than have ended')
    t.ok(indexes.every((index) => added.includes(index)))
  },
  JWT,
)

forEachService(
  'E9: after a restore no index of a list from before it is given out again',
  async (t, start) => {
    const service = await startListed(start)
    const { storage } = service
    const copy = await storage.status_lists.read()
    const before = bitOf((await service.signIn()).access_token)
    await until('it is reserved', async () => Number((await storage.status_lists.read()).reserved) > 0)
    // What was reserved since the copy is forgotten.
    await storage.status_lists.replace(await storage.status_lists.read(), copy)
    await writeRestoreMark(storage, Math.floor(service.now() / 1000) - 1)
    await service.fastify.redmint.keys.reload()
    const after = bitOf((await service.signIn()).access_token)
    t.not(after?.list, before?.list)
    const restarted = await start(LISTED)
    t.equal(bitOf((await restarted.signIn()).access_token)?.list, after?.list, 'servers share the new one')
    await until(
      'the old one is gone',
      async () => (await readList(service, before?.list ?? '')) === undefined,
    )
  },
  JWT,
)

forEachService(
  'turned off, there are no lists, and no token names one',
  async (t, start) => {
    const service = await startListed(start, { status_lists: 'off' })
    const { access_token } = await service.signIn()
    t.equal(bitOf(access_token), undefined)
    t.equal((await service.get(`/status/${'a'.repeat(16)}`)).status, 404)
    t.strictSame(await service.storage.status_lists.read(), {})
  },
  JWT,
)
