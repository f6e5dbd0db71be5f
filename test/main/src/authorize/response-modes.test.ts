// The response in a query, or in a form (OAuth 2.0 Form Post Response Mode).
import t from 'tap'
import { FORM_POST_SCRIPT_SOURCE } from '../../../../src/pages/form-post.ts'
import { requestUrl, signInAndAgree, signInOn } from '../../../support/scene/requests.ts'
import { scene } from '../../../support/scene.ts'
import { basic, codeRequest, REDIRECT_URI, VERIFIER } from '../../../support/service.ts'
import { asDeparture, asPage } from '../../../support/visitor.ts'

t.test('response_mode form_post', async (t) => {
  const { visitor, token } = await scene(t)
  const alice = visitor()
  const state = `"><script>alert(1)</script>&${'ß'.repeat(400)}`
  const consent = asPage(
    await signInOn(alice, await alice.page(requestUrl({ response_mode: 'form_post', state }))),
  )
  const page = asPage(await alice.submit(consent, { decision: 'allow' }))
  t.equal(page.status, 200)
  t.match(page.url, /^\/oauth2\/interaction\?transaction=/, 'it answers no form, so that there is a way back')
  t.ok(page.text.includes(`<form method="post" action="${REDIRECT_URI}">`))
  t.same(Object.keys(page.hidden).sort(), ['code', 'iss', 'state'])
  t.equal(page.hidden.state, state)
  t.equal(page.headers['cache-control'], 'no-store')
  const policy = String(page.headers['content-security-policy'])
  t.ok(policy.includes(`script-src ${FORM_POST_SCRIPT_SOURCE}`))
  t.notOk(
    String(consent.headers['content-security-policy']).includes(FORM_POST_SCRIPT_SOURCE),
    'no other page has this script',
  )
  t.equal((await token(codeRequest(page.hidden.code ?? '', { client_id: 'shop' }))).status, 200)

  const silent = await alice.page(requestUrl({ response_mode: 'form_post' }))
  t.ok(silent.hidden.code, 'without a page in between')
  const refused = await visitor().page(requestUrl({ response_mode: 'form_post', prompt: 'none' }))
  t.same(refused.hidden.error, 'login_required')
  t.equal(refused.hidden.state, 'a state')
  const malformed = await alice.page(requestUrl({ response_mode: 'form_post', prompt: 'none login' }))
  t.equal(malformed.hidden.error, 'invalid_request')
})

t.test('an unsigned request object is refused in the mode that it asks for', async (t) => {
  const { visitor } = await scene(t)
  const refused = async (overrides: Record<string, string>) => {
    const found = await visitor().open(requestUrl(overrides))
    return 'location' in found ? `query: ${found.told.get('error')}` : `form: ${found.hidden.error}`
  }
  const jwt = (payload: string) => `eyJhbGciOiJub25lIn0.${Buffer.from(payload).toString('base64url')}.`
  const byForm = jwt('{"response_mode":"form_post"}')
  t.equal(await refused({ request: byForm }), 'form: request_not_supported')
  t.equal(await refused({ request: byForm, response_mode: 'query' }), 'query: request_not_supported')
  for (const request of [
    jwt('{}'),
    jwt('{"response_mode":"fragment"}'),
    jwt('{"response_mode":["form_post"]}'),
    jwt('{"__proto__":{"response_mode":"form_post"}}'),
  ]) {
    t.equal(await refused({ request }), 'query: request_not_supported', request)
  }
  t.equal(await refused({ request: jwt('{}'), response_mode: 'form_post' }), 'form: request_not_supported')
})

t.test('a long state and nonce come back exactly', async (t) => {
  const { visitor, token } = await scene(t)
  const long = ` ${'~aZ0 +%&=#/?"\\✓'.repeat(90)} `
  const back = await signInAndAgree(visitor(), { state: long, nonce: long })
  t.equal(back.told.get('state'), long)
  const { id_token } = (await token(codeRequest(String(back.told.get('code')), { client_id: 'shop' }))).json
  const payload = Buffer.from(String(id_token).split('.')[1] ?? '', 'base64url').toString()
  t.equal(JSON.parse(payload).nonce, long)
})

t.test(
  'a request by POST is sent again from here, because a cross-site form brings no cookies',
  async (t) => {
    const { visitor } = await scene(t)
    const alice = visitor()
    await signInAndAgree(alice)
    const [path, query = ''] = requestUrl({ state: 'ä & b' }).split('?')
    const back = asDeparture(
      await alice.submitFromElsewhere(String(path), Object.fromEntries(new URLSearchParams(query))),
    )
    t.ok(back.told.get('code'))
    t.equal(back.told.get('state'), 'ä & b')
    const bad = await alice.request('POST', String(path), `${query}&prompt=never`)
    t.equal(
      new URL(String(bad.headers.location)).searchParams.get('error'),
      'invalid_request',
      'faults are told at once',
    )
  },
)

t.test('a confidential client without PKCE', async (t) => {
  const { visitor, token } = await scene(t)
  const none = { code_challenge: undefined, code_challenge_method: undefined }
  const alice = visitor()
  const plain = { client_id: 'plain', ...none }
  const back = await signInAndAgree(alice, plain)
  const { client_id: _, code_verifier: __, ...form } = codeRequest(String(back.told.get('code')))
  const withVerifier = await token({ ...form, code_verifier: VERIFIER }, basic('plain'))
  t.equal(withVerifier.json.error, 'invalid_grant', 'a verifier without a challenge')
  t.equal((await token(form, basic('plain'))).status, 200, 'and it did not spend the code')

  const challenged = asDeparture(await alice.open(requestUrl({ client_id: 'plain' })))
  const code = String(challenged.told.get('code'))
  t.equal(
    (await token({ ...form, code }, basic('plain'))).json.error,
    'invalid_grant',
    'a challenge without a verifier',
  )
  t.equal((await token({ ...form, code, code_verifier: VERIFIER }, basic('plain'))).status, 200)

  const half = asDeparture(await alice.open(requestUrl({ client_id: 'plain', code_challenge: undefined })))
  t.equal(half.told.get('error'), 'invalid_request', 'a method without a challenge')
  const whole = asDeparture(await alice.open(requestUrl(none)))
  t.equal(whole.told.get('error'), 'invalid_request', 'every other client needs it')
})

t.test('the headers of the pages', async (t) => {
  const { visitor } = await scene(t)
  const { headers } = await visitor().page(requestUrl())
  t.match(headers, {
    'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=31536000',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-download-options': 'noopen',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    'x-xss-protection': '0',
    'cache-control': 'no-store',
  })
  t.notOk(String(headers['content-security-policy']).includes('form-action'))
})
