// Pairwise subjects (OpenID Connect Core §8.1): stable within one sector, not comparable between sectors.
import t from 'tap'
import { sidFor, subjectFor } from '../../../../src/clients/subject.ts'
import { OAuthError } from '../../../../src/core/errors.ts'
import {
  ask,
  populate,
  readTokens,
  redeem,
  saveCode,
  tokensOf,
  userInfo,
} from '../../../support/claims/sign-ins.ts'
import { changeUser } from '../../../support/records.ts'
import { basic, startService } from '../../../support/service.ts'

const SALT = { pairwise_salt: 'a salt of the tests' }
const client = (sector_identifier: string, subject_type: 'public' | 'pairwise' = 'pairwise') =>
  ({ client_id: 'c', subject_type, sector_identifier }) as const

t.test('a pairwise sub depends on sector, local sub and salt, and on nothing else', async (t) => {
  const sub = subjectFor(client('a.example'), 'alice', SALT)
  t.match(sub, /^[\w-]{43}$/, 'a SHA-256 in base64url')
  t.equal(subjectFor(client('a.example'), 'alice', SALT), sub, 'stable')
  t.equal(subjectFor(client('a.example', 'public'), 'alice', SALT), 'alice')
  t.equal(subjectFor(client('a.example', 'public'), 'alice', {}), 'alice', 'public subs need no salt')
  const others = [
    subjectFor(client('b.example'), 'alice', SALT),
    subjectFor(client('a.example'), 'bob', SALT),
    subjectFor(client('a.example'), 'alice', { pairwise_salt: 'another salt of the tests' }),
    subjectFor(client('a.example","'), 'alice', SALT),
    subjectFor(client('a.examplea'), 'lice', SALT),
    subjectFor(client('a.exampl'), 'ealice', SALT),
    subjectFor(client('a.example'), 'alicea', { pairwise_salt: ' salt of the tests' }),
  ]
  t.equal(new Set([sub, ...others]).size, others.length + 1, 'each of the three counts, and their boundaries')
})

t.test('a pairwise sid depends on sector, sid and salt, and is no sub', async (t) => {
  const sid = sidFor(client('a.example'), 'a session', SALT)
  t.match(sid, /^[\w-]{43}$/, 'an HMAC-SHA-256 in base64url')
  t.equal(sidFor(client('a.example'), 'a session', SALT), sid, 'stable')
  t.equal(sidFor(client('a.example', 'public'), 'a session', {}), 'a session')
  const others = [
    subjectFor(client('a.example'), 'a session', SALT),
    sidFor(client('b.example'), 'a session', SALT),
    sidFor(client('a.example'), 'another session', SALT),
    sidFor(client('a.example'), 'a session', { pairwise_salt: 'another salt of the tests' }),
    sidFor(client('a.example","a'), ' session', SALT),
  ]
  t.equal(new Set([sid, ...others]).size, others.length + 1)
  t.throws(() => sidFor(client('a.example'), 'a session', {}), { code: 'server_error' })
})

t.test('without PAIRWISE_SALT it is a server_error whose cause names the variable', async (t) => {
  t.throws(() => subjectFor(client('a.example'), 'alice', {}), {
    name: OAuthError.prototype.name,
    code: 'server_error',
    status: 500,
    description: /^(?!.*PAIRWISE).*$/,
    cause: /set PAIRWISE_SALT/,
  })
})

t.test('code, refreshed tokens, UserInfo and introspection have the same pairwise sub', async (t) => {
  const service = await startService(t, { demo: false, ...SALT, bearer_check_revocation: true })
  await populate(service.storage)
  const sub = subjectFor(client('wiki.example.org'), 'sub-of-alice', SALT)
  const scope = 'openid profile'
  for (const party of ['discreet', 'discreet-too'] as const) {
    const tokens = await tokensOf(service, party, { subject: sub, scope })
    t.equal(tokens.claims.sub, sub, 'the same in one sector')
    t.match((await userInfo(service, tokens)).json, { sub, name: 'Alice Example' })
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const refreshed = readTokens(await ask(service, party, form))
    t.equal(refreshed.claims.sub, sub)
    t.match((await userInfo(service, refreshed)).json, { sub, name: 'Alice Example' })
    const asked = await service.post('/oauth2/introspect', { token: refreshed.access_token }, basic(party))
    t.match(asked.json, { active: true, sub })
  }
  const foreign = await saveCode(service.storage, 'discreet', { subject: 'sub-of-alice', scope })
  t.match(
    await redeem(service, 'discreet', foreign),
    { status: 400, json: { error: 'invalid_grant' } },
    'a sub that is not the pairwise sub for this client',
  )
})

t.test('a username, which every client would know, is no claim for a pairwise client', async (t) => {
  const service = await startService(t, { demo: false, ...SALT })
  await populate(service.storage)
  const sub = subjectFor(client('wiki.example.org'), 'sub-of-alice', SALT)
  const toldTo = async (party: 'portal' | 'shop', subject: string, scope: string) => {
    const by_name = { claims: 'id_token:preferred_username' }
    const tokens = await tokensOf(service, party, { scope, subject, ...by_name })
    return [tokens.claims, (await userInfo(service, tokens)).json].map((said) => said.preferred_username)
  }
  t.same(await toldTo('portal', sub, 'openid profile email'), [undefined, undefined])
  t.same(await toldTo('shop', 'sub-of-alice', 'openid profile email'), ['alice', 'alice'])
  await changeUser(service.storage, 'alice', { set: { preferred_username: 'ally' }, unset: [] })
  t.same(await toldTo('portal', sub, 'openid profile'), ['ally', 'ally'], 'what the account says is told')
})

t.test('the metadata names pairwise only if PAIRWISE_SALT is set', async (t) => {
  for (const [salt, types] of [
    [{}, ['public']],
    [SALT, ['public', 'pairwise']],
  ] as const) {
    const { get } = await startService(t, salt)
    const { json } = await get('/.well-known/openid-configuration')
    t.strictSame(json.subject_types_supported, types)
  }
})
