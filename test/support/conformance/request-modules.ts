// The modules of the Basic profile about authorization requests.
import type { Test } from 'tap'
import { s256Challenge } from '../../../src/tokens/pkce.ts'
import { VERIFIER } from '../service.ts'
import { asPage } from '../visitor.ts'
import type { Plan } from './plan.ts'
import { CALLBACK, USERNAME } from './records.ts'

/** Runs them with the response mode of the plan. */
export function requestModules(t: Test, plan: Plan): void {
  const { visitor, flow, errorFor, metadata, pass } = plan

  /** A parameter that must not cause an error. */
  const harmless = (name: string, parameters: Record<string, string>) =>
    t.test(name, async (t) => {
      const { callback } = await flow(t, visitor(), parameters)
      t.equal(callback.shown[0], 'sign_in')
    })

  harmless('oidcc-display-page', { display: 'page' })
  harmless('oidcc-display-popup', { display: 'popup' })
  harmless('oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' })
  harmless('oidcc-ui-locales', { ui_locales: 'se' })
  harmless('oidcc-claims-locales', { claims_locales: 'se' })

  t.test('oidcc-login-hint', async (t) => {
    const login_hint = `buffy@${new URL(String(metadata.issuer)).host}`
    const page = asPage(await plan.open(visitor(), plan.requestOf({ login_hint })))
    t.ok(page.text.includes(`value="${login_hint}"`), 'the form begins with it')
    await flow(t, visitor(), { login_hint })
    await flow(t, visitor(), { login_hint: USERNAME })
  })

  t.test('oidcc-prompt-login', async (t) => {
    const browser = visitor()
    const first = await flow(t, browser)
    pass(1)
    const second = await flow(t, browser, { prompt: 'login' })
    t.strictSame(second.callback.shown, ['sign_in'])
    t.ok(Number(second.claims.auth_time) > Number(first.claims.auth_time), 'auth_time is later')
  })

  t.test('oidcc-prompt-none-not-logged-in', async (t) => {
    const state = 'aZ09'.repeat(32)
    t.equal(await errorFor(t, visitor(), { prompt: 'none', state }), 'login_required')
  })

  /** Signs in, and sends a second request; no page may be shown for it. */
  const twice = async (t: Test, first: Record<string, string>, next: (id_token: string) => typeof first) => {
    const browser = visitor()
    const before = await flow(t, browser, first)
    pass(1)
    const after = await flow(t, browser, next(before.id_token))
    t.strictSame(after.callback.shown, [])
    t.equal(after.claims.auth_time, before.claims.auth_time)
    t.equal(after.claims.sub, before.claims.sub)
  }

  t.test('oidcc-prompt-none-logged-in', (t) => twice(t, {}, () => ({ prompt: 'none' })))

  t.test('oidcc-id-token-hint', (t) => twice(t, {}, (id_token_hint) => ({ prompt: 'none', id_token_hint })))

  t.test('oidcc-max-age-10000', (t) => twice(t, { max_age: '15000' }, () => ({ max_age: '10000' })))

  t.test('oidcc-max-age-1', async (t) => {
    const browser = visitor()
    const first = await flow(t, browser)
    pass(2)
    const second = await flow(t, browser, { max_age: '1' })
    t.strictSame(second.callback.shown, ['sign_in'])
    t.ok(Number(second.claims.auth_time) > Number(first.claims.auth_time), 'auth_time is later')
    t.ok(Number(second.claims.auth_time) > plan.now() - 300, 'and recent')
  })

  t.test('oidcc-ensure-request-with-acr-values-succeeds', async (t) => {
    const values = metadata.acr_values_supported as string[]
    const { claims } = await flow(t, visitor(), { acr_values: values.join(' ') })
    t.ok(values.includes(String(claims.acr)), 'the sign-in has one of the values')
  })

  t.test('oidcc-ensure-registered-redirect-uri', async (t) => {
    const page = asPage(await plan.open(visitor(), plan.requestOf({ redirect_uri: `${CALLBACK}/x7Rk` })))
    t.equal(page.status, 400)
    t.match(page.text, /redirect_uri/, 'the page says what is wrong')
    t.notOk(page.text.includes(`action="${CALLBACK}`))
  })

  t.test('oidcc-ensure-post-request-succeeds', async (t) => {
    await flow(t, visitor(), {}, { posts: true })
  })

  t.test('oidcc-server-client-secret-post', async (t) => {
    t.ok((metadata.token_endpoint_auth_methods_supported as string[]).includes('client_secret_post'))
    await flow(t, visitor(), {}, { in_form: true })
  })

  /** A request of the suite: outside the request object are only the parameters that OAuth requires. */
  const withObject = () => {
    const parts = [{ alg: 'none' }, plan.requestOf({})]
    const encoded = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    return { response_mode: undefined, state: undefined, nonce: undefined, request: `${encoded.join('.')}.` }
  }

  t.test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async (t) => {
    t.notOk((metadata.request_object_signing_alg_values_supported as string[]).includes('none'))
    t.equal(await errorFor(t, visitor(), withObject()), 'request_not_supported')
  })

  t.test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported', async (t) => {
    t.equal(metadata.request_uri_parameter_supported, false, 'absent would mean true')
    const request_uri = 'https://suite.example.org/test/a/redmint/request_object'
    t.equal(await errorFor(t, visitor(), { request_uri, state: undefined }), 'request_uri_not_supported')
  })

  t.test('oidcc-ensure-request-object-with-redirect-uri', async (t) => {
    // The redirect_uri inside is registered, the one outside is not: an error page, or the request object is used.
    const request = plan.requestOf({ ...withObject(), redirect_uri: `${CALLBACK}/x7Rk` })
    const page = asPage(await plan.open(visitor(), request))
    t.equal(page.status, 400)
    t.match(page.text, /redirect_uri/)
  })

  t.test('oidcc-ensure-request-with-valid-pkce-succeeds', async (t) => {
    const challenge = { code_challenge: s256Challenge(VERIFIER), code_challenge_method: 'S256' }
    await flow(t, visitor(), challenge, { form: { code_verifier: VERIFIER } })
  })
}
