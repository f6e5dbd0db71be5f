// What redmint makes of answers of a provider that are cut, untimely, of somebody else, or signed with a new key; and how it
// says who it is.
import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { en } from '../../../../src/pages/messages/en.ts'
import { examineProvider } from '../../../../src/providers/examine.ts'
import { findProvider } from '../../../../src/providers/find-providers.ts'
import { readProviderOutcomes } from '../../../../src/service/outcome-keeper.ts'
import type { signJwt } from '../../../../src/tokens/jwt.ts'
import { linkOf } from '../../../../src/users/sign-in-names.ts'
import {
  comeBy,
  federate,
  type Meddle,
  type Rewrite,
  UPSTREAM,
  withClaims,
} from '../../../support/providers/federation.ts'
import { changeUser } from '../../../support/records.ts'
import { alertOn } from '../../../support/scene/pages.ts'
import { SECRET } from '../../../support/service.ts'
import { until } from '../../../support/until.ts'
import { asPage } from '../../../support/visitor.ts'

const THERE = linkOf(UPSTREAM, 'sub-of-alice')
const SAID = en.messages
const TOKEN = '/oauth2/token'
const KEYS = '/.well-known/jwks.json'
const DISCOVERY = '/.well-known/openid-configuration'

/** Both, and what the provider changes in its id_tokens and in its user information. */
async function meddled(t: Parameters<typeof federate>[0], record: Parameters<typeof federate>[1] = {}) {
  const meddle: { now: Meddle; after?: Rewrite } = { now: async () => undefined }
  const service = await federate(
    t,
    record,
    { admin_api: 'on', console: 'on', keepers: { every: 20 } },
    meddle,
  )
  const key = service.upstream.fastify.redmint.keys.signingKey('RS256')
  const change: {
    id_token?: object
    userinfo?: object
    metadata?: object
    key?: Parameters<typeof signJwt>[0]
  } = {}
  const changed = (payload: string, more: object) => JSON.stringify({ ...JSON.parse(payload), ...more })
  meddle.after = ({ pathname }, payload) => {
    if (pathname === TOKEN && payload.includes('id_token'))
      return withClaims(payload, change.key ?? key, { ...change.id_token })
    if (pathname === '/userinfo' && change.userinfo) return changed(payload, change.userinfo)
    return pathname === DISCOVERY && change.metadata ? changed(payload, change.metadata) : payload
  }
  await service.setFields('alice', { linked_subjects: THERE, 'claim:groups': '["staff","admins"]' })
  const groups = async () => (await service.user('alice'))?.['claim:groups']
  const errorCode = async () => (await readProviderOutcomes(service.storage)).get('acme')?.error?.code
  return { ...service, meddle, change, groups, errorCode }
}

t.test('a part of the groups is never taken for all: refused, and said to the operator', async (t) => {
  const { person, change, groups, errorCode, log, redmint, provide } = await meddled(t, {
    groups_claim: 'groups',
  })
  for (const answer of [
    { id_token: { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://x' } } } },
    { id_token: { hasgroups: true } },
    { id_token: { groups: ['staff'], groups_truncated: true } },
    { userinfo: { _claim_names: { groups: 'src1' } } },
    { id_token: { groups: ['staff'] }, userinfo: { _claim_names: { groups: 'src1' } } },
    { id_token: { groups: { staff: true } } },
  ]) {
    Object.assign(change, { id_token: {}, userinfo: {} }, answer)
    t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_broken, JSON.stringify(answer))
    t.equal(await groups(), '["staff","admins"]', 'the record keeps what it has')
  }
  t.match(log.join(''), /"code":"GROUPS_INCOMPLETE"/)
  await until('the console shows it', async () => (await errorCode()) === 'GROUPS_NOT_UNDERSTOOD')
  const { storage, settings, now } = redmint
  const fetch = async () => new Response('{}')
  const provider = await findProvider(redmint, 'acme')
  if (provider === undefined) throw new Error('no provider')
  const found = await examineProvider({ storage, settings, now, fetch }, { ...provider, kind: 'github' })
  t.match(found.at(-1), { about: 'groups', result: 'wrong', detail: /realm_access/ }, 'provider test says so')

  Object.assign(change, { id_token: { realm_access: { roles: ['staff'] } }, userinfo: {} })
  await provide('acme', { groups_claim: 'realm_access.roles' })
  t.ok('location' in (await comeBy(person())))
  t.equal(await groups(), '["staff"]', 'one inside of another is read')
})

t.test('groups that are missing end, and the operator is told', async (t) => {
  const { person, change, groups, errorCode, log } = await meddled(t, { groups_claim: 'groups' })
  t.ok('location' in (await comeBy(person())))
  t.equal(await groups(), '[]')
  t.match(log.join(''), /"groups_claim":"groups","code":"GROUPS_MISSING"/)
  await until('the console shows it', async () => (await errorCode()) === 'GROUPS_MISSING')
  change.id_token = { groups: Array.from({ length: 2000 }, (_, i) => `group-number-${i}`) }
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_broken, 'more than a record holds')
  await until('the console shows that', async () => (await errorCode()) === 'PROFILE_TOO_LONG')
})

t.test('a scope that was not granted hides groups', async (t) => {
  const { person, groups, log, meddle } = await meddled(t, { groups_claim: 'groups' })
  const { after } = meddle
  meddle.after = (url, payload) => {
    const answered = after?.(url, payload) ?? payload
    return url.pathname === TOKEN ? JSON.stringify({ ...JSON.parse(answered), scope: 'openid' }) : answered
  }
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_broken)
  t.equal(await groups(), '["staff","admins"]')
  t.match(log.join(''), /NO_SCOPE_FOR_GROUPS/)
})

t.test('an id_token of another time signs nobody in', async (t) => {
  const { person, change } = await meddled(t)
  const now = Math.floor(Date.now() / 1000)
  const DAY = 86_400
  for (const times of [
    { iat: now + DAY, exp: now + DAY + 300, auth_time: now + DAY },
    { iat: now + DAY },
    { iat: now - DAY },
    { exp: now + 3650 * DAY },
    { auth_time: now + DAY },
    { auth_time: -1 },
  ]) {
    change.id_token = times
    t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_broken, JSON.stringify(times))
  }
  change.id_token = { auth_time: now - 60, exp: now + 30 * DAY }
  t.ok('location' in (await comeBy(person())))
})

t.test('the text "false" is not true, and the text "true" is', async (t) => {
  const { person, change, user, provide, storage } = await meddled(t)
  await changeUser(storage, 'alice', { set: {}, unset: ['linked_subjects'] })
  await provide('acme', { creates_users: true })
  const about = { email: 'new@example.org', email_verified: 'false' }
  Object.assign(change, { id_token: about, userinfo: about })
  t.ok('location' in (await comeBy(person())))
  t.notOk(await user('new@example.org'))
  const other = { sub: 'other', email: 'new@example.org', email_verified: 'true' }
  Object.assign(change, { id_token: other, userinfo: other })
  t.ok('location' in (await comeBy(person())))
  t.match(await user('new@example.org'), { email: 'new@example.org', email_verified: 'true' })
})

t.test('what user information says of somebody else, or of the sign-in, does not count', async (t) => {
  const { person, change, log } = await meddled(t)
  change.userinfo = { sub: 'sub-of-bob' }
  t.equal(alertOn(asPage(await comeBy(person()))), SAID.provider_broken)
  change.id_token = { auth_time: undefined, acr: undefined }
  change.userinfo = { auth_time: Math.floor(Date.now() / 1000), acr: 'strong' }
  t.ok('location' in (await comeBy(person())))
  t.notMatch(log.join(''), /"acr":"strong"/)
})

t.test('a new key is read at once, whatever was read before, and then not for a minute', async (t) => {
  const { person, change, meddle, pass } = await meddled(t)
  let asked = 0
  const published: object[] = []
  meddle.now = async ({ pathname }) => {
    if (pathname !== KEYS) return undefined
    asked += 1
    return published.length === 0 ? undefined : Response.json({ keys: published })
  }
  const rotate = (kid: string) => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    change.key = { alg: 'ES256', kid, privateKey }
    published.splice(0, 1, { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' })
  }
  const comes = async () => 'location' in (await comeBy(person()))
  t.ok(await comes())
  t.ok(await comes())
  t.equal(asked, 1)
  rotate('second')
  t.ok(await comes(), 'a moment after the first read')
  t.equal(asked, 2)
  rotate('third')
  t.notOk(await comes(), 'not for a minute')
  t.equal(asked, 2)
  pass(61)
  t.ok(await comes())
  t.equal(asked, 3)
})

const basicOf = (headers: unknown) => new Headers(headers as Record<string, string>).get('authorization')

t.test('how redmint authenticates follows the discovery document, or the record', async (t) => {
  const secret = 'a:b c+d%/ü'
  for (const [named, set, is_basic] of [
    [['client_secret_basic'], undefined, true],
    [undefined, undefined, true],
    [['client_secret_post', 'client_secret_basic'], undefined, true],
    [['private_key_jwt'], undefined, true],
    [['private_key_jwt', 'client_secret_post'], undefined, false],
    [['client_secret_basic'], 'client_secret_post', false],
    [['client_secret_post'], 'client_secret_basic', true],
  ] as const) {
    const { discover } = await import('../../../../src/providers/relying-party.ts')
    const asked: { authorization: string | null; body: string }[] = []
    const party = await discover(
      async (url, { headers, body }) => {
        if (url.endsWith(DISCOVERY))
          return Response.json({
            issuer: UPSTREAM,
            token_endpoint: `${UPSTREAM}${TOKEN}`,
            token_endpoint_auth_methods_supported: named,
          })
        asked.push({ authorization: basicOf(headers), body: String(body) })
        return Response.json({ error: 'invalid_grant' }, { status: 400 })
      },
      { issuer: UPSTREAM, client_id: 'the client', kind: 'oidc', token_endpoint_auth_method: set } as never,
      secret,
      Date.now,
    )
    await party.client
      .genericGrantRequest(party.configuration, 'authorization_code', { code: 'x' })
      .catch(() => undefined)
    const [{ authorization, body } = { authorization: null, body: '' }] = asked
    t.equal(authorization !== null, is_basic, `${named} ${set}`)
    t.equal(new URLSearchParams(body).get('client_secret'), is_basic ? null : secret)
    // RFC 6749 §2.3.1: each is form-encoded.
    const [id = '', text = ''] = Buffer.from(authorization?.slice(6) ?? '', 'base64')
      .toString()
      .split(':')
    const decode = (part: string) => new URLSearchParams(`x=${part}`).get('x')
    if (is_basic) t.same([decode(id), decode(text)], ['the client', secret])
  }
})

t.test('provider test finds out how the secret is taken', async (t) => {
  for (const taken of ['client_secret_post', 'client_secret_basic'] as const) {
    const { redmint, meddle, change } = await meddled(t)
    const other = taken === 'client_secret_post' ? 'client_secret_basic' : 'client_secret_post'
    change.metadata = { token_endpoint_auth_methods_supported: [other] }
    const { storage, settings, now } = redmint
    const fetch = async (url: string, init: { headers: object; body?: unknown }) => {
      const { pathname } = new URL(url)
      const is_basic = basicOf(init.headers) !== null
      if (pathname === TOKEN) {
        const is_taken = is_basic === (taken === 'client_secret_basic')
        return Response.json({ error: is_taken ? 'invalid_grant' : 'invalid_client' }, { status: 400 })
      }
      const parts = { issuer: UPSTREAM, jwks_uri: UPSTREAM + KEYS, token_endpoint: UPSTREAM + TOKEN }
      const metadata = {
        ...parts,
        authorization_endpoint: `${UPSTREAM}/oauth2/authorize`,
        ...change.metadata,
      }
      return pathname === DISCOVERY ? Response.json(metadata) : new Response('{}', { status: 500 })
    }
    t.ok(meddle)
    const provider = await findProvider(redmint, 'acme')
    if (provider === undefined) throw new Error('no provider')
    const examine = async (set?: typeof taken) => {
      const record = { ...provider, token_endpoint_auth_method: set }
      const found = await examineProvider({ storage, settings, now, fetch } as never, record as never)
      return found.find(({ about }) => about === 'secret')
    }
    t.match(await examine(), { result: 'wrong', detail: `set token_endpoint_auth_method to ${taken}` })
    t.match(await examine(taken), { result: 'ok' })
    t.notMatch(JSON.stringify(await examine()), SECRET)
  }
})
