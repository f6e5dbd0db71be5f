// The modules of the Basic profile about responses: tokens, claims, user information.
import type { Test } from 'tap'
import { bearer } from '../service.ts'
import { checkEntropy, checkTokenError, SCOPE_CLAIMS } from './conditions.ts'
import type { Plan } from './plan.ts'

/** Runs them with the response mode of the plan. */
export function responseModules(t: Test, plan: Plan): void {
  const { visitor, flow, post, pathOf, userInfo, checkClaims } = plan

  t.test('oidcc-server', async (t) => {
    t.ok((plan.metadata.token_endpoint_auth_methods_supported as string[]).includes('client_secret_basic'))
    const { callback } = await flow(t, visitor())
    checkEntropy(t, String(callback.told.get('code')), 'the code')
  })

  t.test('oidcc-response-type-missing', async (t) => {
    const error = await plan.errorFor(t, visitor(), { response_type: undefined })
    t.ok(['invalid_request', 'unsupported_response_type'].includes(error), error)
  })

  t.test('oidcc-idtoken-signature', async (t) => {
    await flow(t, visitor())
    for (const alg of ['ES256', 'PS256', 'EdDSA']) {
      await flow(t, visitor(), { client_id: `suite-${alg}` }, { alg })
    }
  })

  t.test('oidcc-idtoken-unsigned', async (t) => {
    // The suite then skips the module.
    t.notOk((plan.metadata.id_token_signing_alg_values_supported as string[]).includes('none'))
  })

  t.test('oidcc-userinfo-get', async (t) => {
    const tokens = await flow(t, visitor())
    checkClaims(t, tokens, await userInfo(tokens))
  })

  t.test('oidcc-userinfo-post-header', async (t) => {
    const tokens = await flow(t, visitor())
    const path = pathOf('userinfo_endpoint')
    checkClaims(t, tokens, await post(path, {}, bearer(tokens.access_token)))
  })

  t.test('oidcc-userinfo-post-body', async (t) => {
    const tokens = await flow(t, visitor())
    const { access_token } = tokens
    checkClaims(t, tokens, await post(pathOf('userinfo_endpoint'), { access_token }))
  })

  t.test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async (t) => {
    const { claims } = await flow(t, visitor(), { nonce: undefined })
    t.notOk('nonce' in claims)
  })

  const scopes = Object.keys(SCOPE_CLAIMS) as (keyof typeof SCOPE_CLAIMS)[]
  for (const scope of scopes) {
    t.test(`oidcc-scope-${scope}`, async (t) => {
      t.ok((plan.metadata.scopes_supported as string[]).includes(scope), 'else the suite skips it')
      const tokens = await flow(t, visitor(), { scope: `openid ${scope}` })
      checkClaims(t, tokens, await userInfo(tokens), SCOPE_CLAIMS[scope])
    })
  }

  t.test('oidcc-scope-all', async (t) => {
    const tokens = await flow(t, visitor(), { scope: `openid ${scopes.join(' ')}` })
    checkClaims(t, tokens, await userInfo(tokens), Object.assign({}, ...Object.values(SCOPE_CLAIMS)))
  })

  t.test('oidcc-ensure-other-scope-order-succeeds', async (t) => {
    const tokens = await flow(t, visitor(), { scope: 'email openid' })
    checkClaims(t, tokens, await userInfo(tokens), SCOPE_CLAIMS.email)
  })

  t.test('oidcc-claims-essential', async (t) => {
    t.equal(plan.metadata.claims_parameter_supported, true)
    const claims = { userinfo: { name: { essential: true } } }
    const tokens = await flow(t, visitor(), { claims: JSON.stringify(claims) })
    checkClaims(t, tokens, await userInfo(tokens), { name: 'string' })
    const unknown = { userinfo: { name: null, 'https://example.com/shoe': { value: 41 } }, other: 1 }
    const others = await flow(t, visitor(), { claims: JSON.stringify(unknown) })
    checkClaims(t, others, await userInfo(others), { name: 'string' })
  })

  /** Presents a code again after some seconds; its tokens must be revoked then. */
  const reuse = async (t: Test, seconds: number, client_id: string) => {
    const tokens = await flow(t, visitor(), { client_id })
    plan.pass(seconds)
    checkTokenError(t, await plan.ask(client_id, plan.codeForm(tokens.callback)), 'invalid_grant')
    t.equal((await userInfo(tokens)).status, 401)
    const { refresh_token } = tokens
    const form = { grant_type: 'refresh_token', refresh_token }
    checkTokenError(t, await plan.ask(client_id, form), 'invalid_grant')
  }

  for (const client_id of ['suite-1', 'suite-jwt']) {
    t.test(`oidcc-codereuse (${client_id})`, (t) => reuse(t, 0, client_id))
    t.test(`oidcc-codereuse-30seconds (${client_id})`, (t) => reuse(t, 30, client_id))
  }

  t.test('oidcc-refresh-token', async (t) => {
    t.ok((plan.metadata.grant_types_supported as string[]).includes('refresh_token'))
    const scope = 'openid offline_access'
    const refreshed = async (client_id: string, form: Record<string, string>) => {
      const browser = visitor()
      const first = await flow(t, browser, { client_id, scope, prompt: 'consent' })
      t.ok(first.callback.shown.includes('consent'))
      plan.pass(1)
      const { refresh_token } = first
      const answer = await plan.ask(client_id, { grant_type: 'refresh_token', refresh_token, ...form })
      const second = await plan.readTokens(t, first.callback, answer)
      for (const name of ['iss', 'sub', 'aud', 'auth_time', 'azp', 'acr', 'sid']) {
        t.same(second.claims[name], first.claims[name], `${name} stays (OpenID Connect Core §12.2)`)
      }
      t.ok(Number(second.claims.iat) > Number(first.claims.iat), 'iat is the time of the new one')
      t.not(second.access_token, first.access_token)
      t.equal((await userInfo(second)).status, 200)
      return second
    }
    await refreshed('suite-1', { scope })
    const { refresh_token } = await refreshed('suite-2', {})
    const stolen = await plan.ask('suite-1', { grant_type: 'refresh_token', refresh_token, scope })
    checkTokenError(t, stolen, 'invalid_grant')
  })
}
