// The plan of a token request: the source of each lifetime. Keys are published longer than what they signed.
import { decodeJwt } from 'jose'
import t from 'tap'
import { MAX_SIGNED_TOKEN_TTL } from '../../../../src/config/environment.ts'
import { completeSettings } from '../../../../src/config/settings.ts'
import type { SigningAlg } from '../../../../src/core/algs.ts'
import { CLOCK_SKEW } from '../../../../src/core/clock-skew.ts'
import { SILENT } from '../../../../src/core/log.ts'
import { newFamilyId, parseToken } from '../../../../src/core/token-string.ts'
import { KeyRing } from '../../../../src/keys/ring.ts'
import { rotateSigningKeys } from '../../../../src/keys/rotate.ts'
import { RETIRED_FOR, STALE_AFTER } from '../../../../src/keys/timing.ts'
import { ownTarget } from '../../../../src/resources/target.ts'
import { MemoryStorage } from '../../../../src/storage/memory/storage.ts'
import { signAccessToken, verifyAccessJwt } from '../../../../src/tokens/access-jwt.ts'
import { signIdToken, verifyIdToken } from '../../../../src/tokens/id-token.ts'
import { planTokens, refreshTokenExpiresIn } from '../../../../src/tokens/plan.ts'
import { ISSUER, useTestKeys } from '../../../support/service.ts'

const settings = completeSettings({ issuer: ISSUER })
const DAY = MAX_SIGNED_TOKEN_TTL
const ALWAYS = { client_id: 'app', refresh_tokens: 'always', allowed_scopes: [] } as const
const ALL = { id_token: true, first_refresh_token: true } as const

/** A replica with its own key ring; `clock` is the shared clock. */
async function replica(storage: MemoryStorage, clock: { now: number }) {
  const now = () => clock.now
  const keys = new KeyRing({
    store: storage.signing_keys,
    records: storage.records,
    settings,
    log: SILENT,
    now,
  })
  await keys.reload()
  return { settings, keys, now }
}

async function withKeys() {
  const clock = { now: Date.now() }
  const storage = new MemoryStorage({ now: () => clock.now })
  await useTestKeys(storage)
  return { storage, clock, server: await replica(storage, clock) }
}

t.test('a client without its own lifetimes uses those of the server', async (t) => {
  const { server } = await withKeys()
  const family_id = newFamilyId()
  const plan = planTokens(server, ALWAYS, family_id, ALL)
  t.match(plan, {
    format: 'opaque',
    access_token_ttl: 900,
    access_token_kept: 900,
    id_token: { ttl: 900, key: { alg: 'RS256' } },
    refresh_token_ttl: 2_592_000,
  })
  t.notOk('access_token_key' in plan, 'an opaque token is not signed')
  t.notOk('refresh_token_idle_ttl' in plan)
  t.equal(parseToken(plan.jti)?.family, family_id)
  t.equal(parseToken(plan.refresh_token ?? '')?.family, family_id)
})

t.test('a client chooses the algorithms of its tokens, among those that are published', async (t) => {
  const { server } = await withKeys()
  const algs = {
    access_token_signed_response_alg: 'RS256',
    id_token_signed_response_alg: 'EdDSA',
  } as const
  const client = { ...ALWAYS, access_token_format: 'jwt', ...algs } as const
  const own = planTokens(server, client, newFamilyId(), ALL)
  t.match(own, { access_token_key: { alg: 'RS256' }, id_token: { key: { alg: 'EdDSA' } } })
  const { access_token_signed_response_alg: _, ...other } = client
  t.match(planTokens(server, other, newFamilyId(), ALL), { access_token_key: { alg: 'ES256' } })

  const published = (signing_algs: readonly SigningAlg[]) => ({
    ...server,
    settings: { ...settings, signing_algs },
  })
  for (const signing_algs of [
    ['ES256', 'RS256'],
    ['ES256', 'EdDSA'],
  ] as const) {
    const plan = () => planTokens(published(signing_algs), client, newFamilyId(), ALL)
    t.throws(plan, {
      code: 'server_error',
      cause: /algorithm (RS256|EdDSA): add it to SIGNING_ALGS/,
    })
  }
  const opaque = { ...ALWAYS, access_token_signed_response_alg: 'RS256' } as const
  t.match(planTokens(published(['ES256']), opaque, newFamilyId(), { ...ALL, id_token: false }), {
    format: 'opaque',
  })
})

t.test('a client with a profile gets no token for a resource that has another algorithm', async (t) => {
  const { server } = await withKeys()
  const client = { ...ALWAYS, profile: 'fapi2', access_token_signed_response_alg: 'ES256' } as const
  const planFor = (alg: SigningAlg, format: 'jwt' | 'opaque') => {
    const target = {
      resource: 'https://api.example',
      audience: 'https://api.example',
      scopes: [],
      format,
      alg,
    }
    return planTokens(server, client, newFamilyId(), ALL, { target })
  }
  t.throws(() => planFor('RS256', 'jwt'), { code: 'invalid_target', description: /api\.example .+ RS256/ })
  t.match(planFor('PS256', 'jwt'), { access_token_key: { alg: 'PS256' } })
  t.match(planFor('RS256', 'opaque'), { format: 'opaque' }, 'nothing is signed')
  const { profile: _, ...plain } = client
  t.match(
    planTokens(server, plain, newFamilyId(), ALL, {
      target: { ...ownTarget(plain), format: 'jwt', alg: 'RS256' },
    }),
    {
      access_token_key: { alg: 'RS256' },
    },
  )
})

t.test('only tokens that the grant may issue are planned', async (t) => {
  const { server } = await withKeys()
  const planned = (id_token: boolean, first_refresh_token: boolean) =>
    Object.keys(planTokens(server, ALWAYS, newFamilyId(), { id_token, first_refresh_token })).filter((name) =>
      ['id_token', 'refresh_token'].includes(name),
    )
  t.same(planned(false, false), [])
  t.same(planned(true, false), ['id_token'])
  t.same(planned(false, true), ['refresh_token'])
})

t.test('the lifetimes of a client override the settings of the server', async (t) => {
  const { server } = await withKeys()
  const client = {
    ...ALWAYS,
    access_token_format: 'jwt',
    access_token_ttl: 60,
    id_token_signed_response_alg: 'EdDSA',
    id_token_ttl: 120,
    refresh_token_ttl: 3600,
  } as const
  const idle = { ...server, settings: { ...settings, refresh_token_idle_ttl: 600 } }
  t.match(planTokens(idle, client, newFamilyId(), ALL), {
    format: 'jwt',
    access_token_ttl: 60,
    access_token_kept: 60 + CLOCK_SKEW,
    access_token_key: { alg: 'ES256' },
    id_token: { ttl: 120, key: { alg: 'EdDSA' } },
    refresh_token_ttl: 3600,
    refresh_token_idle_ttl: 600,
  })
})

t.test('the lifetime in seconds of an unused refresh token', async (t) => {
  const table: [idle: number | undefined, family_ends_in: number, unused_for: number, seconds: number][] = [
    [undefined, 3600, 0, 3600],
    [undefined, 3599.9, 0, 3599],
    [undefined, 3600, 30, 3600],
    [600, 3600, 0, 600],
    [600, 599.5, 0, 599],
    [600, 3600, 30, 570],
    [20, 3600, 30, 0],
    [undefined, -1, 0, 0],
  ]
  for (const [refresh_token_idle_ttl, family_ends_in, unused_for, seconds] of table) {
    const plan = refresh_token_idle_ttl === undefined ? {} : { refresh_token_idle_ttl }
    t.equal(refreshTokenExpiresIn(plan, family_ends_in, unused_for), seconds)
  }
})

t.test('tokens with the longest lifetime verify until their exp, also across a rotation', async (t) => {
  const { storage, clock, server } = await withKeys()
  const stale = await replica(storage, clock)
  clock.now += 1000
  const rotated_at = clock.now
  t.match(await rotateSigningKeys(storage.signing_keys, settings, new Date(rotated_at)), {
    outcome: 'rotated',
  })

  // A replica that has not read the keys since the rotation is the last one that signs with the old keys.
  clock.now += (STALE_AFTER - 2) * 1000
  const client = { ...ALWAYS, access_token_format: 'jwt', access_token_ttl: DAY, id_token_ttl: DAY } as const
  const { jti, access_token_key, access_token_ttl, id_token } = planTokens(stale, client, newFamilyId(), ALL)
  if (access_token_key === undefined || id_token === undefined) throw new Error('the plan has no keys')
  const facts = { jti, client_id: 'app', subject: 'alice', scope: 'openid' }
  const access_token = signAccessToken(stale, { key: access_token_key, ttl: access_token_ttl }, facts)
  const sign_in = { subject: 'alice', auth_time: 1 }
  const of = { client_id: 'app', post_logout_redirect_uris: [] }
  const id = signIdToken(stale, id_token, { client: of, sign_in, access_token, claims: {} })
  for (const token of [access_token, id]) {
    const { iat = 0, exp = 0 } = decodeJwt(token)
    t.equal(exp - iat, DAY)
  }

  const exp = Number(decodeJwt(access_token).exp)
  clock.now = exp * 1000 - 1
  await server.keys.reload()
  t.not(server.keys.signingKey('ES256').kid, access_token_key.kid, 'a different key signs by then')
  t.match(verifyAccessJwt(server, access_token), { valid: true })
  t.match(verifyIdToken(server, id), { client_id: 'app', sub: 'alice' })
  t.ok(
    server.keys.publicKeys().some(({ kid }) => kid === access_token_key.kid),
    'the key is published',
  )
  clock.now = exp * 1000 + 1
  t.match(verifyAccessJwt(server, access_token), { valid: false }, 'the token has expired')

  clock.now = rotated_at + RETIRED_FOR * 1000
  await server.keys.reload()
  t.equal(server.keys.verificationKey(access_token_key.kid), undefined, 'the key is not published any more')
})

t.test('an access token ends with what it comes from', async (t) => {
  const { server } = await withKeys()
  const now = Math.floor(server.now() / 1000)
  const lifetimes = (ends_by: number) => {
    const plan = planTokens(server, ALWAYS, newFamilyId(), ALL, { ends_by })
    return [plan.access_token_ttl, plan.access_token_kept]
  }
  t.strictSame(lifetimes(now + 60), [60, 60])
  t.strictSame(lifetimes(now + 6000), [900, 900])
})
