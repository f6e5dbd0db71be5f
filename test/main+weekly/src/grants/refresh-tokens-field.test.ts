// The client field refresh_tokens: which sign-ins get a refresh token, and which may use one.

import { ACCEPTED, accepts, dead, REFUSED } from '../../../support/expect.ts'
import { forEachService, type Lifecycle, tokensOf } from '../../../support/lifecycle.ts'
import { changeClient } from '../../../support/records.ts'

type Choice = 'always' | 'offline_access' | 'never'

/** Sets the field of the public client, which may get offline_access. */
async function choose({ storage }: Lifecycle, refresh_tokens: Choice) {
  const allowed_scopes = 'openid api.read offline_access'
  await changeClient(storage, 'app', { set: { refresh_tokens, allowed_scopes }, unset: [] })
}

const CASES: readonly [Choice, scope: string, expected: boolean][] = [
  ['always', 'openid api.read', true],
  ['always', 'openid offline_access', true],
  ['offline_access', 'openid api.read', false],
  ['offline_access', 'openid offline_access', true],
  ['never', 'openid api.read', false],
  ['never', 'openid offline_access', false],
]

forEachService('a code yields a refresh token as refresh_tokens says', async (t, start) => {
  const service = await start()
  for (const [choice, scope, expected] of CASES) {
    await choose(service, choice)
    const code = await service.codeFor('app', scope)
    const answer = await service.redeem('app', code)
    const name = `${choice}, ${scope}`
    t.match(answer, { status: 200, json: { scope, token_type: 'Bearer' } }, name)
    t.equal('refresh_token' in answer.json, expected, name)
    t.equal('refresh_token_expires_in' in answer.json, expected, name)
    t.ok('id_token' in answer.json)
    const { access_token } = tokensOf(answer)
    t.strictSame(await accepts(service, access_token), ACCEPTED, name)
    const family = await service.storage.families.findFamily(code.slice(0, 16))
    t.equal(family?.refresh_token !== undefined, expected, 'no other one was written')

    t.equal((await service.redeem('app', code)).status, 400)
    t.strictSame(await accepts(service, access_token), REFUSED, 'a replay revokes what was issued')
  }
})

forEachService('the end of a session ends a family that has no refresh token', async (t, start) => {
  const service = await start()
  await choose(service, 'never')
  const code = await service.codeFor('app')
  const { access_token } = tokensOf(await service.redeem('app', code))
  await service.storage.families.endFamily(code.slice(0, 16), 60)
  t.strictSame(await accepts(service, access_token), REFUSED)
})

forEachService('a client that may not have refresh tokens cannot use earlier ones', async (t, start) => {
  const service = await start()
  await choose(service, 'always')
  const [plain, offline] = [
    await service.signIn('app', 'openid api.read'),
    await service.signIn('app', 'openid offline_access'),
  ]
  const refresh = async ({ refresh_token }: { refresh_token: string }) => {
    const { status, json } = await service.refresh('app', refresh_token)
    return { status, error: json.error }
  }
  await choose(service, 'never')
  for (const tokens of [plain, offline]) {
    t.strictSame(await refresh(tokens), { status: 400, error: 'unauthorized_client' })
    t.strictSame(await accepts(service, tokens.access_token), ACCEPTED, 'access tokens are not affected')
  }
  await choose(service, 'offline_access')
  t.strictSame(await refresh(plain), { status: 400, error: 'invalid_grant' })
  t.match(await refresh(offline), { status: 200 })
  await choose(service, 'always')
  t.match(await refresh(plain), { status: 200 }, 'nothing was revoked')
  t.match(await service.revoke('app', offline.refresh_token), { status: 200 })
  await dead(t, service, [offline], 'a refresh token can always be revoked')
})
