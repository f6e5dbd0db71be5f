// The claims of an id_token about the sign-in, and those requested by name (OpenID Connect Core §2, §5.5).

import { createHash } from 'node:crypto'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import { subjectFor } from '../../../../src/clients/subject.ts'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { StorageUnavailable } from '../../../../src/storage/errors.ts'
import { isStandardClaim } from '../../../../src/users/standard-claims.ts'
import {
  ask,
  populate,
  readTokens,
  redeem,
  SIGN_IN,
  saveCode,
  type Tokens,
  tokensOf,
  userInfo,
} from '../../../support/claims/sign-ins.ts'
import { inMemory } from '../../../support/matrix.ts'
import { observed } from '../../../support/observed.ts'
import { createClient, readClient } from '../../../support/records.ts'
import { basic, ISSUER, type Service, startService, VERIFIER } from '../../../support/service.ts'

const SALT = 'a salt of the tests'
const CODE = { grant_type: 'authorization_code', code_verifier: VERIFIER }

async function startWithAccounts(t: Test, demo: false | 'public' = false) {
  const service = await startService(t, { demo })
  await populate(service.storage)
  return service
}

async function verify({ get }: Service, { id_token }: Tokens) {
  const keys = createLocalJWKSet((await get('/.well-known/jwks.json')).json as unknown as JSONWebKeySet)
  return jwtVerify(id_token, keys, { issuer: ISSUER })
}

t.test('an id_token describes the sign-in, with the same values after each refresh', async (t) => {
  const service = await startWithAccounts(t)
  const amr = 'pwd otp'
  let tokens = await tokensOf(service, 'shop', { amr })
  const { nonce, iss, sub, aud, auth_time, acr, sid } = tokens.claims
  t.equal(nonce, 'a nonce')
  const same = { iss, sub, aud, auth_time, acr, sid, amr: ['pwd', 'otp'] }
  t.strictSame(same, {
    iss: ISSUER,
    sub: SIGN_IN.subject,
    aud: 'shop',
    auth_time: SIGN_IN.auth_time,
    acr: '1',
    sid: SIGN_IN.sid,
    amr: ['pwd', 'otp'],
  })
  for (const round of [1, 2]) {
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    tokens = readTokens(await ask(service, 'shop', form))
    const { iat, exp, at_hash, ...claims } = tokens.claims
    t.strictSame(claims, same, `refresh ${round}: no nonce, no other claim`)
    t.equal(Number(exp) - Number(iat), 900)
    const half = createHash('sha256').update(tokens.access_token).digest().subarray(0, 16)
    t.equal(at_hash, half.toString('base64url'))
  }
})

t.test('an id_token has sid for a client that can use it', async (t) => {
  const service = await startWithAccounts(t)
  const { storage } = service
  const LOGOUTS: [fields: Record<string, string>, has_sid: boolean][] = [
    [{}, false],
    [{ logout_ends_tokens: 'true' }, false],
    [{ backchannel_logout_uri: 'https://shop.example.com/logout' }, true],
    [{ post_logout_redirect_uris: 'https://shop.example.com/bye' }, true],
  ]
  for (const [fields, has_sid] of LOGOUTS) {
    const client_id = `client-${Object.keys(fields).join()}`
    const { post_logout_redirect_uris: _, ...wiki } = (await readClient(storage, 'wiki')) ?? {}
    await createClient(storage, client_id, { ...wiki, client_id, ...fields })
    const code = await saveCode(storage, 'wiki', { client_id })
    const form = { redirect_uri: 'https://wiki.example.org/cb?tenant=a%20b', code }
    const tokens = readTokens(await service.token({ ...CODE, ...form }, basic(client_id)))
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const refreshed = readTokens(await service.token(refresh, basic(client_id)))
    for (const { claims } of [tokens, refreshed]) {
      t.equal(claims.sid, has_sid ? SIGN_IN.sid : undefined, client_id)
    }
  }
})

t.test('unknown facts about the sign-in are left out', async (t) => {
  const service = await startWithAccounts(t, 'public')
  const without = { sid: undefined, amr: undefined, acr: undefined, username: undefined, nonce: undefined }
  const { claims } = await tokensOf(service, 'shop', without)
  t.strictSame(Object.keys(claims).sort(), ['at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'sub'])
})

t.test('an id_token is signed with the algorithm of the client', async (t) => {
  const service = await startWithAccounts(t)
  t.equal(
    (await verify(service, await tokensOf(service, 'wiki'))).protectedHeader.alg,
    'RS256',
    'the default of the server',
  )
  for (const alg of SIGNING_ALGS) {
    const client_id = `signed-${alg}`
    const { storage } = service
    const hash = { ...(await readClient(storage, 'wiki')), client_id, id_token_signed_response_alg: alg }
    await createClient(storage, client_id, hash)
    const code = await saveCode(storage, 'wiki', { client_id })
    const form = { redirect_uri: 'https://wiki.example.org/cb?tenant=a%20b', code }
    const tokens = readTokens(await service.token({ ...CODE, ...form }, basic(client_id)))
    const { protectedHeader } = await verify(service, tokens)
    t.match(protectedHeader, { alg, typ: 'JWT' })
    const [hash_name, length] = alg === 'EdDSA' ? (['sha512', 32] as const) : (['sha256', 16] as const)
    const half = createHash(hash_name).update(tokens.access_token).digest().subarray(0, length)
    t.equal(tokens.claims.at_hash, half.toString('base64url'), `at_hash for ${alg}`)
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const refreshed = readTokens(await service.token(refresh, basic(client_id)))
    t.equal((await verify(service, refreshed)).protectedHeader.alg, alg, 'after a refresh too')
  }
})

t.test('claims requested by name for the id_token (OpenID Connect Core §5.5)', async (t) => {
  const service = await startWithAccounts(t)
  const claims = 'id_token:email_verified id_token:address id_token:birthdate id_token:nonsense userinfo:name'
  const asked = { email_verified: true, address: { locality: 'Berlin', country: 'DE' } }
  const tokens = await tokensOf(service, 'shop', { claims, scope: 'openid phone' })
  const names = ['acr', 'amr', 'at_hash', 'aud', 'auth_time', 'exp', 'iat', 'iss', 'nonce', 'sid', 'sub']
  t.strictSame(Object.keys(tokens.claims).sort(), [...names, ...Object.keys(asked)].sort())
  t.match(tokens.claims, asked)
  t.strictSame(Object.keys((await userInfo(service, tokens)).json).sort(), [
    'name',
    'phone_number',
    'phone_number_verified',
    'sub',
  ])
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  const refreshed = readTokens(await ask(service, 'shop', form))
  t.match(refreshed.claims, asked, 'after a refresh too')
  const letter = await tokensOf(service, 'letter', { claims })
  t.match(
    letter.claims,
    { email_verified: true, address: undefined },
    'only claims that the client may request',
  )
})

t.test('with scope_claims_in_id_token, an id_token has the claims of the granted scope', async (t) => {
  const service = await startService(t, { demo: false, pairwise_salt: SALT })
  const { storage } = service
  await populate(storage)
  const portal = {
    client_id: 'portal',
    subject_type: 'pairwise',
    sector_identifier: 'wiki.example.org',
  } as const
  const subject = subjectFor(portal, SIGN_IN.subject, { pairwise_salt: SALT })
  const about = ({ claims }: Tokens) =>
    Object.fromEntries(Object.entries(claims).filter(([name]) => isStandardClaim(name)))
  const email = { email: 'alice@example.com', email_verified: true }
  const phone = { phone_number: '+49 30 1234', phone_number_verified: false }
  const scope = 'openid email phone offline_access'
  const tokens = await tokensOf(service, 'portal', { subject, scope })
  t.strictSame(about(tokens), { ...email, ...phone }, 'as user information has them')
  t.strictSame((await userInfo(service, tokens)).json, { sub: subject, ...email, ...phone })
  t.equal(tokens.claims.sub, subject, 'a pairwise sub')

  const refresh = (more: object) =>
    ask(service, 'portal', {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      ...more,
    })
  const narrowed = readTokens(await refresh({ scope: 'openid email' }))
  t.strictSame(about(narrowed), email, 'a refresh with less scope has fewer claims')

  const claims = 'id_token:birthdate id_token:zoneinfo id_token:email'
  const named = await tokensOf(service, 'portal', { subject, scope: 'openid email', claims })
  t.strictSame(about(named), { ...email, zoneinfo: 'Europe/Berlin' }, 'and those requested by name')
  t.strictSame(about(await tokensOf(service, 'portal', { subject })), {}, 'none without such a scope')
  t.strictSame(about(await tokensOf(service, 'shop', { scope })), {}, 'none for other clients')
})

t.test('in demo mode a missing account or one with another sub adds no claims', async (t) => {
  const service = await startWithAccounts(t, 'public')
  const claims = 'id_token:name'
  for (const other of [{ username: 'nobody' }, { username: 'bob' }, { username: undefined }]) {
    const tokens = await tokensOf(service, 'shop', { claims, sid: undefined, ...other })
    t.match(tokens.claims, { sub: 'sub-of-alice', name: undefined }, String(other.username))
  }
})

t.test('an account that cannot be read again leaves only the claims out', async (t) => {
  const { storage } = await inMemory()
  let isAway = false
  let reads = 0
  const unreliable = observed(storage, (call, run) => {
    if (call === 'read user') reads += 1
    return isAway && reads > 1 ? Promise.reject(new StorageUnavailable('away')) : run()
  })
  // The account is read twice: it is not cached if changes are not reported.
  const failing = { ...unreliable, changes: { watch() {}, isLive: () => false } }
  const service = await startService(t, { storage: failing, demo: false })
  await populate(failing)
  const code = await saveCode(failing, 'shop', { claims: 'id_token:name' })
  isAway = true
  const answer = await redeem(service, 'shop', code)
  t.equal(answer.status, 200)
  const tokens = readTokens(answer)
  t.match(tokens.claims, { sub: SIGN_IN.subject, name: undefined })
  t.ok(service.log.some((line) => JSON.parse(line).level === 40 && /without the claims/.test(line)))
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  isAway = false
  t.match(
    readTokens(await ask(service, 'shop', form)).claims,
    { name: 'Alice Example' },
    'the next id_token has the claims',
  )
})
