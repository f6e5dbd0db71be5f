// Claims that the operator defines: which scope releases them, into which answers and tokens, and for whom.

import { decodeJwt } from 'jose'
import t from 'tap'
import { SILENT } from '../../../../src/core/log.ts'
import type { Hash } from '../../../../src/core/record-hash.ts'
import { KeyRing } from '../../../../src/keys/ring.ts'
import { signAccessToken } from '../../../../src/tokens/access-jwt.ts'
import {
  ask,
  populate,
  readTokens,
  redeem,
  SIGN_IN,
  tokensOf,
  userInfo,
} from '../../../support/claims/sign-ins.ts'
import { forEachService, inMemory, type PlacedService, type Start } from '../../../support/matrix.ts'
import { changeClient, changeUser } from '../../../support/records.ts'
import { basic, ISSUER, startService, useTestKeys } from '../../../support/service.ts'

const scope_claims = new Map([
  ['groups', 'staff'],
  ['level', 'staff'],
  ['https://a.example/unit', 'hr'],
])
const STAFF = { groups: ['admin', 'ops'], level: 3 }
const UNIT = { 'https://a.example/unit': { name: 'R&D' } }
const FIELDS = {
  'claim:groups': JSON.stringify(STAFF.groups),
  'claim:level': '3',
  'claim:https://a.example/unit': JSON.stringify(UNIT['https://a.example/unit']),
  'claim:unreleased': '"x"',
}
const NAMES = [...scope_claims.keys(), 'unreleased', 'email']
const { subject: sub } = SIGN_IN

/** A service with the custom claims of alice, and a client `wiki` with these fields that may ask for them. */
async function startWithClaims(
  start: Start,
  fields: Hash = {},
  demo: false | 'public' = false,
): Promise<PlacedService> {
  const service = await start({ demo, scope_claims })
  const { storage } = service
  await populate(storage)
  await changeUser(storage, 'alice', { set: FIELDS, unset: [] })
  const allowed_scopes = 'openid email staff hr offline_access'
  await changeClient(storage, 'wiki', { set: { allowed_scopes, ...fields }, unset: [] })
  return service
}

/** The claims that this file is about. */
const about = (claims: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(claims).filter(([name]) => NAMES.includes(name)))

const introspect = ({ post }: PlacedService, token: string) =>
  post('/oauth2/introspect', { token }, basic('wiki'))

forEachService(t, 'a scope of SCOPE_CLAIMS releases its claims to user information', async (t, start) => {
  const service = await startWithClaims(start)
  const cases = { openid: {}, 'openid staff': STAFF, 'openid staff hr': { ...STAFF, ...UNIT } }
  for (const [scope, claims] of Object.entries(cases)) {
    const tokens = await tokensOf(service, 'wiki', { scope })
    t.strictSame((await userInfo(service, tokens)).json, { sub, ...claims }, scope)
    t.strictSame(about(tokens.claims), {}, 'and not to the id_token')
    const answer = await introspect(service, tokens.access_token)
    t.strictSame(about(answer.json), {}, 'and not to introspection')
  }
})

forEachService(t, 'an id_token has them by name, or by the scope', async (t, start) => {
  const claims = 'id_token:groups id_token:https://a.example/unit id_token:unreleased userinfo:level'
  const service = await startWithClaims(start)
  const named = await tokensOf(service, 'wiki', { claims })
  t.strictSame(about(named.claims), { groups: STAFF.groups, ...UNIT })
  t.strictSame((await userInfo(service, named)).json, { sub, level: 3 })
  const shop = await tokensOf(service, 'shop', { claims })
  t.strictSame(about(shop.claims), {}, 'only if the client may obtain the scope of the claim')

  const by_scope = await startWithClaims(start, { scope_claims_in_id_token: 'true' })
  const scope = 'openid email staff offline_access'
  const tokens = await tokensOf(by_scope, 'wiki', { scope })
  t.strictSame(about(tokens.claims), { ...STAFF, email: 'alice@example.com' })
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, scope: 'openid email' }
  t.strictSame(about(readTokens(await ask(by_scope, 'wiki', refresh)).claims), { email: 'alice@example.com' })
})

forEachService(
  t,
  'with custom_claims_in_access_token, JWTs and introspection have them, and no standard claims',
  async (t, start, format) => {
    const service = await startWithClaims(start, { custom_claims_in_access_token: 'true' })
    const scope = 'openid email staff offline_access'
    const tokens = await tokensOf(service, 'wiki', { scope })
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const less = readTokens(await ask(service, 'wiki', { ...refresh, scope: 'openid' }))
    for (const [{ access_token }, claims] of [
      [tokens, STAFF],
      [less, {}],
    ] as const) {
      const { json } = await introspect(service, access_token)
      t.match(json, { active: true, sub })
      t.strictSame(about(json), claims)
      if (format === 'jwt') t.strictSame(about(decodeJwt(access_token)), claims)
    }
    const { json } = await introspect(service, less.refresh_token)
    t.match(json, { active: true, token_use: 'refresh_token' })
    t.strictSame(about(json), {}, 'a refresh token has none')

    const demo = await startWithClaims(start, { custom_claims_in_access_token: 'true' }, 'public')
    const unknown = await tokensOf(demo, 'wiki', { scope, username: 'nobody', sid: undefined })
    t.strictSame(about((await introspect(demo, unknown.access_token)).json), {}, 'without an account')
  },
)

forEachService(
  t,
  'the claims of a client are in its own tokens, in both formats, and replace nothing',
  async (t, start, format) => {
    const claims = { tenant: 'acme', roles: ['reader'], limits: { daily: 10 } }
    const service = await startWithClaims(start, {
      claims: JSON.stringify(claims),
      grant_types: 'authorization_code client_credentials',
    })
    const own = await service.token({ grant_type: 'client_credentials', scope: 'staff' }, basic('wiki'))
    const access_token = String(own.json.access_token)
    const { active, exp, iss, token_use, token_type, ...rest } = (await introspect(service, access_token))
      .json
    t.strictSame(rest, { scope: 'staff', client_id: 'wiki', ...claims })
    if (format === 'jwt') {
      const { iat, jti, aud, ...signed } = decodeJwt(access_token)
      t.strictSame(signed, { ...claims, iss, exp, sub: 'wiki', client_id: 'wiki', scope: 'staff' })
    }
    const users = await tokensOf(service, 'wiki', { scope: 'openid staff' })
    const { json } = await introspect(service, users.access_token)
    t.notOk(Object.hasOwn(json, 'tenant'), 'not in tokens for users')
    if (format === 'jwt') t.notOk(Object.hasOwn(decodeJwt(users.access_token), 'tenant'))
  },
)

t.test('discovery names the scopes and the claims', async (t) => {
  const { get } = await startService(t, { scope_claims })
  const { json } = await get('/.well-known/openid-configuration')
  const standard = await (await startService(t)).get('/.well-known/openid-configuration')
  const added = (name: string) =>
    (json[name] as string[]).filter((word) => !(standard.json[name] as string[]).includes(word))
  t.strictSame(added('scopes_supported'), ['staff', 'hr'])
  t.strictSame(added('claims_supported'), [...scope_claims.keys()])
})

forEachService(t, 'the parameter claims asks for one of them', async (t, start) => {
  const service = await start({ scope_claims })
  await populate(service.storage)
  await changeUser(service.storage, 'alice', { set: { ...FIELDS, sub: 'alice' }, unset: [] })
  await changeClient(service.storage, 'shop', { set: { allowed_scopes: 'openid staff' }, unset: [] })
  const claims = JSON.stringify({ userinfo: { groups: { essential: true }, unreleased: null } })
  const asked = { client_id: 'shop', subject: 'alice', scope: 'openid', claims }
  const code = String((await service.authorize(asked)).redirect.get('code'))
  const tokens = readTokens(await redeem(service, 'shop', code))
  t.strictSame((await userInfo(service, tokens)).json, { sub: 'alice', groups: STAFF.groups })
})

t.test('a custom claim never replaces a claim of the token', async (t) => {
  const { storage } = await inMemory()
  await useTestKeys(storage)
  const now = Date.now
  const keys = new KeyRing({
    store: storage.signing_keys,
    records: storage.records,
    settings: { key_rotation_days: 90 },
    log: SILENT,
    now,
  })
  await keys.reload()
  const signing = { key: keys.signingKey('ES256'), ttl: 900 }
  const claims = {
    iss: 'evil',
    sub: 'evil',
    aud: 'evil',
    exp: 1,
    scope: 'evil',
    client_id: 'evil',
    roles: ['a'],
  }
  const facts = { jti: 'j', client_id: 'c', subject: 's', scope: 'a', claims }
  const signed = decodeJwt(signAccessToken({ settings: { issuer: ISSUER }, now }, signing, facts))
  t.match(signed, { iss: ISSUER, sub: 's', aud: ISSUER, scope: 'a', client_id: 'c', roles: ['a'] })
  t.not(signed.exp, 1)
})
