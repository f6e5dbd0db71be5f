// A JWT is revoked by its jti and its family, independent of how its bytes are encoded.
import { decodeJwt } from 'jose'
import { ACCEPTED, accepts, failing, inactive, REFUSED, unavailable } from '../../../support/expect.ts'
import {
  type ClientName,
  forEachService,
  type Lifecycle,
  onRedis,
  pass,
  tokensOf,
} from '../../../support/lifecycle.ts'
import { bearer } from '../../../support/service.ts'

const JWT = ['jwt'] as const

/** The ways to end a family. */
type Family = Record<'code' | 'spent' | 'last', string>

/** The order of the group of P-256 (FIPS 186-5). */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** The same claims with the second valid ES256 signature, (r, n - s). */
function otherSignature(jwt: string): string {
  const [header, payload, signature = ''] = jwt.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  const s = BigInt(`0x${bytes.subarray(32).toString('hex')}`)
  const other = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex')
  return `${header}.${payload}.${Buffer.concat([bytes.subarray(0, 32), other]).toString('base64url')}`
}

/** Encodings that lenient decoders accept as the same bytes, and that RFC 7515 does not allow. */
function misspelled(jwt: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const last = alphabet.indexOf(jwt.at(-1) ?? '')
  const padding = [last ^ 1, last ^ 2].map((index) => jwt.slice(0, -1) + alphabet[index])
  return [`${jwt}=`, `${jwt}==`, `${jwt} `, `${jwt}.`, `${jwt}\n`, ...padding]
}

const PLACES: [name: string, refuses: (service: Lifecycle, token: string) => Promise<boolean>][] = [
  ['/api/', async ({ get }, token) => (await get('/api/resource', bearer(token))).status === 401],
  ['/userinfo', async ({ get }, token) => (await get('/userinfo', bearer(token))).status === 401],
  [
    'introspection',
    async ({ introspect }, token) => (await introspect('gateway', token)).text === '{"active":false}',
  ],
]

forEachService(
  'every replica refuses a revoked JWT at once',
  async (t, start) => {
    const service = await start()
    const other = await start()
    const { access_token } = await service.signIn()
    const sibling = await service.signIn()
    t.strictSame(await accepts(other, access_token), ACCEPTED)
    t.equal((await service.revoke('app', access_token)).status, 200)
    for (const replica of [service, other]) {
      for (const [place, refuses] of PLACES) t.ok(await refuses(replica, access_token), place)
      t.strictSame(await accepts(replica, sibling.access_token), ACCEPTED)
    }
    const [own, next] = [await service.clientToken('service'), await service.clientToken('service')]
    t.equal((await service.revoke('service', own)).status, 200)
    t.match(await accepts(other, own), { api: 401, active: false })
    t.match(await accepts(other, next), { api: 200, active: true }, 'a new token of the client is accepted')
  },
  JWT,
)

forEachService(
  'a revocation applies to the jti, whatever the signature or encoding',
  async (t, start) => {
    const service = await start()
    const original = (await service.signIn()).access_token
    const twin = otherSignature(original)
    t.not(twin, original)
    t.strictSame(await accepts(service, twin), ACCEPTED, 'the JWT with the second signature is accepted, too')
    for (const token of misspelled(original)) {
      for (const path of ['/api/resource', '/userinfo']) {
        const { status } = await service.get(path, { authorization: `Bearer ${token.replace('\n', '')}x` })
        t.equal(status, 401)
      }
      inactive(t, await service.introspect('gateway', token.replace('\n', '=')), 'refused')
    }
    await service.revoke('app', original)
    for (const token of [original, twin]) t.strictSame(await accepts(service, token), REFUSED)
    for (const token of misspelled(original)) {
      inactive(t, await service.introspect('gateway', token.replace('\n', '=')), 'refused')
    }

    const second = (await service.signIn()).access_token
    await service.revoke('app', otherSignature(second))
    for (const token of [second, otherSignature(second)]) {
      t.strictSame(await accepts(service, token), REFUSED, 'revoked through the other signature')
    }
  },
  JWT,
)

forEachService(
  'the JWTs of a family end with it',
  async (t, start) => {
    const service = await start({ refresh_retry_window: 0 })
    const { codeFor, redeem, refresh, revoke } = service
    for (const [how, end] of Object.entries({
      'a refresh token is revoked': ({ last }: Family) => revoke('app', last),
      'a spent refresh token is revoked': ({ spent }: Family) => revoke('app', spent),
      'a spent refresh token is reused': ({ spent }: Family) => refresh('app', spent),
      'the code is replayed': ({ code }: Family) => redeem('app', code),
    })) {
      const code = await codeFor('app')
      const first = tokensOf(await redeem('app', code))
      const second = tokensOf(await refresh('app', first.refresh_token))
      const tokens = [first.access_token, second.access_token]
      for (const token of tokens) t.strictSame(await accepts(service, token), ACCEPTED)
      await end({ code, spent: first.refresh_token, last: second.refresh_token })
      for (const token of tokens) {
        for (const [place, refuses] of PLACES) t.ok(await refuses(service, token), `${how}: ${place}`)
        t.strictSame(await accepts(service, otherSignature(token)), REFUSED)
      }
    }
  },
  JWT,
)

forEachService(
  'a code that another client presents again revokes nothing',
  async (t, start) => {
    const service = await start()
    const code = await service.codeFor('app')
    const { access_token, refresh_token } = tokensOf(await service.redeem('app', code))
    const fake = `${code.slice(0, 17)}${'A'.repeat(43)}`
    for (const [client, presented] of [
      ['app', fake],
      ['web', code],
      ['web', fake],
    ] as [ClientName, string][]) {
      t.equal((await service.redeem(client, presented)).json.error, 'invalid_grant')
    }
    t.strictSame(await accepts(service, access_token), ACCEPTED)
    t.equal((await service.refresh('app', refresh_token)).status, 200)
  },
  JWT,
)

forEachService(
  'BEARER_CHECK_REVOCATION=false: only the API accepts a revoked JWT until it expires',
  async (t, start) => {
    const service = await start({ bearer_check_revocation: false })
    const { access_token, refresh_token } = await service.signIn()
    const next = tokensOf(await service.refresh('app', refresh_token))
    await service.revoke('app', access_token)
    await service.revoke('app', next.refresh_token)
    for (const token of [access_token, next.access_token]) {
      t.strictSame(await accepts(service, token), { ...REFUSED, api: 200 })
    }
  },
  JWT,
)

forEachService(
  'the record of a revoked JWT expires with the JWT',
  async (t, start, { redis }) => {
    const service = await start({ access_token_ttl: 6, refresh_token_ttl: 60 })
    const { storage } = service
    const [revoked, late] = [(await service.signIn()).access_token, (await service.signIn()).access_token]
    const { jti, exp } = decodeJwt(revoked)
    await service.revoke('app', revoked)
    t.match(await storage.families.findToken(String(jti)), { revoked: 'true', client_id: 'app' })
    if (redis) {
      const left = Number(await redis.server.cli('PTTL', redis.keys.token(String(jti))))
      const wanted = Number(exp) * 1000 - service.now()
      // The difference between two clocks may add to the lifetime.
      t.ok(left >= wanted - 500 && left < wanted + 120_000, `${left} ms left of ${wanted}`)
    }
    await pass(service, 7, async () => (await accepts(service, late)).api === 401)
    for (const [place, refuses] of PLACES) t.ok(await refuses(service, revoked), `expired: ${place}`)
    t.equal((await service.revoke('app', late)).status, 200)
    t.equal(
      await storage.families.findToken(String(decodeJwt(late).jti)),
      undefined,
      'an expired JWT gets no record',
    )
    service.advance?.(130)
    if (service.advance)
      t.equal(await storage.families.findToken(String(jti)), undefined, 'the record has expired')
  },
  JWT,
)

forEachService(
  'a revoked JWT stays revoked if the clock of the service is behind that of storage',
  async (t, start, { clock }) => {
    const behind = () => (clock?.now() ?? Date.now()) - 10_000
    const service = await start({ access_token_ttl: 12, now: behind })
    const { access_token } = await service.signIn()
    const own = await service.clientToken('service')
    await service.revoke('app', access_token)
    await service.revoke('service', own)
    const since = service.now()
    // Expired by the clock of storage, not expired by the clock of the service.
    await pass(service, 3, async () => service.now() >= since + 3000)
    for (const token of [access_token, own]) {
      inactive(t, await service.introspect('gateway', token), 'revoked')
      t.equal((await service.get('/api/resource', bearer(token))).status, 401)
    }
  },
  JWT,
)

forEachService(
  'if its revocation cannot be checked, a JWT gets 503 and is neither accepted nor refused',
  async (t, start, place) => {
    const control = failing(place.open(t))
    const service = await start({ storage: control.storage })
    const local = await start({ storage: control.storage, bearer_check_revocation: false })
    const { access_token } = await service.signIn()
    control.fault = 'before'
    unavailable(t, await service.get('/userinfo', bearer(access_token)), '/userinfo')
    unavailable(t, await service.introspect('gateway', access_token), 'introspection')
    unavailable(t, await service.get('/api/resource', bearer(access_token)), '/api/, asking')
    t.equal((await local.get('/userinfo', bearer(access_token))).status, 503)
    t.equal((await local.get('/api/resource', bearer(access_token))).status, 200, '/api/, without a check')
    t.equal(
      (await service.get('/api/resource', bearer(`${access_token}x`))).status,
      401,
      'an invalid JWT is refused',
    )
  },
  JWT,
)

onRedis(
  'a JWT of a user is refused if its grant record is missing',
  async (t, start, { server, keys }) => {
    const service = await start()
    const { access_token } = await service.signIn()
    const own = await service.clientToken('service')
    await server.cli('DEL', keys.family(String(decodeJwt(access_token).jti).slice(0, 16)))
    t.strictSame(await accepts(service, access_token), REFUSED)
    t.match(
      await accepts(service, own),
      { api: 200, active: true },
      'a token of the client itself needs no grant',
    )

    const spoiled = (await service.signIn()).access_token
    const grant = String(decodeJwt(spoiled).jti).slice(0, 16)
    for (const status of ['Active', '', 'revoked']) {
      await server.cli('HSET', keys.family(grant), 'status', status)
      t.strictSame(await accepts(service, spoiled), REFUSED, `status "${status}"`)
    }
    await server.cli('HSET', keys.family(grant), 'status', 'active')
    t.strictSame(await accepts(service, spoiled), ACCEPTED)
    await server.cli('HSET', keys.token(String(decodeJwt(spoiled).jti)), 'revoked', 'TRUE')
    t.strictSame(await accepts(service, spoiled), REFUSED, 'a malformed "revoked" counts as revoked')
    await server.cli('DEL', keys.token(String(decodeJwt(spoiled).jti)))
  },
  JWT,
)
