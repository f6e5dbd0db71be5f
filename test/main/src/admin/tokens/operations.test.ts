import t from 'tap'
import { newFamilyId, newToken } from '../../../../../src/core/token-string.ts'
import { signJwt } from '../../../../../src/tokens/jwt.ts'
import { claimsOf, ISSUED, signIn, signingKeyOf } from '../../../../support/cli/tokens.ts'
import { onEachStorage, operatorOn } from '../../../../support/operator.ts'
import { ISSUER } from '../../../../support/service.ts'

const SETTINGS = { settings: { issuer: ISSUER, admin_api: 'off' } } as const

onEachStorage(t, 'a token is inspected, and revoked', async (t, storage) => {
  let now = Date.now()
  const { run, events, answers } = operatorOn(storage, { ...SETTINGS, now: () => now })
  const { grant, access_token, refresh_token } = await signIn(storage)
  const inspect = async (token: string) => (await run('inspect_token', { body: { token } })).body
  const good = {
    active: true,
    accepted_by_apis: true,
    form: 'opaque',
    type: 'access_token',
    ...ISSUED,
    grant: { id: grant, status: 'active' },
  }
  t.match(await inspect(access_token), { ...good, expires_at: /Z$/, reason: undefined })
  t.match(await inspect(` ${access_token}\n`), good)
  t.match(await inspect(refresh_token), {
    active: true,
    accepted_by_apis: false,
    reason: /is a refresh token/,
    type: 'refresh_token',
  })
  now += 1_000_000
  t.match(await inspect(access_token), { active: false, reason: /^it expired at/ })
  now -= 1_000_000
  const unknown = newToken(newFamilyId())
  t.match(await inspect(unknown), { active: false, reason: /is unknown/ })
  t.match(await inspect('nonsense'), { active: false, reason: /form of a token/, form: 'unknown' })

  const revoke = async (body: object) => (await run('revoke_token', { body: { ...body } })).body
  t.strictSame(await revoke({ token: access_token }), { revoked: true, family: false })
  t.match(await inspect(access_token), { active: false, reason: 'it is revoked' })
  t.match(await inspect(refresh_token), { grant: { status: 'active' } })
  t.strictSame(await revoke({ token: refresh_token }), { revoked: true, family: true })
  t.match(await inspect(refresh_token), { grant: { status: 'revoked' } })
  for (const token of [unknown, 'nonsense']) await t.rejects(revoke({ token }), { code: 'not_found' })
  t.match(events, [{ event: 'token_revoked', by: 'operator', client_id: 'web' }, { event: 'token_revoked' }])
  const said = JSON.stringify([answers.map(String), answers, events])
  for (const token of [access_token, refresh_token, unknown]) t.notMatch(said, token.split('.')[1])
})

onEachStorage(t, 'a JWT is inspected, and revoked until it expires', async (t, storage) => {
  const now = Date.now()
  const { run, answers } = operatorOn(storage, SETTINGS)
  const { grant } = await signIn(storage)
  const key = await signingKeyOf(storage, now)
  const token = await signJwt(key, 'at+jwt', claimsOf(grant, now))
  const inspect = async (given: string) => (await run('inspect_token', { body: { token: given } })).body
  t.match(await inspect(token), { active: true, form: 'jwt', client_id: 'web', grant: { id: grant } })
  const of_admin = await signJwt(key, 'at+jwt', { ...claimsOf(grant, now), aud: `${ISSUER}/admin/v1` })
  t.match(await inspect(of_admin), { active: false, reason: /its audience/ }, 'there is no such API')
  const with_api = operatorOn(storage, { settings: { issuer: ISSUER, admin_api: 'on' } })
  t.match((await with_api.run('inspect_token', { body: { token: of_admin } })).body, { active: true })
  const foreign = await signJwt(key, 'at+jwt', { ...claimsOf(grant, now), iss: 'https://other.example.com' })
  t.match(await inspect(foreign), { active: false, reason: /its issuer is/ })
  await t.rejects(run('revoke_token', { body: { token: foreign } }), {
    code: 'not_found',
    message: /its issuer/,
  })
  const { body } = await run('revoke_token', { body: { token, family: true } })
  t.match(body, { revoked: true, family: true, expires_at: /Z$/ })
  t.match(await inspect(token), { active: false, grant: { status: 'revoked' } })
  const signature = token.split('.')[2]
  t.notMatch(JSON.stringify([answers.map(String), answers]), signature)
})
