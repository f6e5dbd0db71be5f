// The authorization endpoint: each parameter, which errors are shown or redirected, and the content of a redirect.

import t from 'tap'
import { formatClient } from '../../../src/clients/record/client-record.ts'
import { MemoryStorage } from '../../../src/storage/memory/storage.ts'
import { spyOn } from '../../support/matrix.ts'
import { createClient } from '../../support/records.ts'
import {
  type Answer,
  authorizationRequest,
  CLIENTS,
  codeRequest,
  ISSUER,
  REDIRECT_URI,
  startService,
} from '../../support/service.ts'

const SENT_TO_APP = `${REDIRECT_URI}?`
const CODE = /^[\w-]{16}\.[\w-]{43}$/
const CHALLENGE = authorizationRequest().code_challenge ?? ''

type Overrides = Record<string, string | undefined>

/** The error in a redirect, or in an error page or JSON. */
const redirected = ({ redirect }: Answer) => redirect.get('error')

t.test('the redirect contains code, state and iss', async (t) => {
  const { authorize, token } = await startService(t)
  const answer = await authorize()
  t.equal(answer.status, 302)
  t.ok(String(answer.headers.location).startsWith(SENT_TO_APP))
  t.same([...answer.redirect.keys()].sort(), ['code', 'iss', 'state'])
  t.match(answer.redirect.get('code'), CODE)
  t.equal(answer.redirect.get('state'), 'a state')
  t.equal(answer.redirect.get('iss'), ISSUER)
  t.equal(answer.text, '', 'the body is empty')
  t.equal(answer.headers['cache-control'], 'no-store')
  t.equal((await token(codeRequest(String(answer.redirect.get('code'))))).status, 200)
})

t.test('after a POST the redirect is 303, so that the browser does not repeat the form', async (t) => {
  const { post } = await startService(t)
  const good = await post('/oauth2/authorize', authorizationRequest())
  t.equal(good.status, 303)
  t.match(good.redirect.get('code'), CODE)
  const bad = await post('/oauth2/authorize', authorizationRequest({ response_type: 'token' }))
  t.equal(bad.status, 303)
  t.equal(redirected(bad), 'unsupported_response_type')
  t.equal((await post('/oauth2/authorize', authorizationRequest({ client_id: 'nobody' }))).status, 400)
  const inQuery = await post(`/oauth2/authorize?${new URLSearchParams(authorizationRequest())}`, {})
  t.equal(inQuery.status, 400, 'parameters in the query of a POST are ignored')
})

const SHOWN: [name: string, overrides: Overrides][] = [
  ['no client_id', { client_id: undefined }],
  ['an empty client_id', { client_id: '' }],
  ['an unknown client_id', { client_id: 'nobody' }],
  ['a client_id in another case', { client_id: 'App' }],
  ['a disabled client', { client_id: 'disabled' }],
  ['a malformed client', { client_id: 'malformed' }],
  ['no redirect_uri', { redirect_uri: undefined }],
  ['an empty redirect_uri', { redirect_uri: '' }],
  ['an unregistered redirect_uri', { redirect_uri: 'https://evil.example.net/' }],
  ['a malformed redirect_uri', { redirect_uri: 'callback' }],
  ['a redirect_uri of another client', { client_id: 'web', redirect_uri: 'http://127.0.0.1/callback' }],
  ['a client without redirect_uris', { client_id: 'service' }],
]

t.test('an error of client_id or redirect_uri is shown, never redirected', async (t) => {
  const { authorize, storage } = await startService(t)
  const disabled = { ...CLIENTS.app, client_id: 'disabled', disabled: true }
  await createClient(storage, 'disabled', formatClient(disabled))
  const malformed = { ...formatClient({ ...CLIENTS.app, client_id: 'malformed' }), grant_types: 'any' }
  await createClient(storage, 'malformed', malformed)

  for (const [name, overrides] of SHOWN) {
    // Other errors of the same request do not matter.
    for (const more of [{}, { response_type: 'token', code_challenge: undefined, scope: 'x' }]) {
      const { status, headers, text } = await authorize({ ...more, ...overrides })
      t.equal(status, 400, name)
      t.equal(headers.location, undefined, 'no redirect')
      t.match(headers['content-type'], /^text\/html/)
      t.match(text, '<code>invalid_request</code>')
    }
  }
})

type Refused = [name: string, overrides: Overrides, error: string]

const REDIRECTED: Refused[] = [
  ['no response_type', { response_type: undefined }, 'invalid_request'],
  ['an empty response_type', { response_type: '' }, 'invalid_request'],
  ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
  ['a hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
  ['a response_type in another case', { response_type: 'CODE' }, 'unsupported_response_type'],
  ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
  ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
  ['an empty code_challenge', { code_challenge: '' }, 'invalid_request'],
  ['a short code_challenge', { code_challenge: CHALLENGE.slice(1) }, 'invalid_request'],
  ['a padded code_challenge', { code_challenge: `${CHALLENGE}=` }, 'invalid_request'],
  [
    'a code_challenge of the method plain',
    { code_challenge: 'a~plain.challenge-of-43-characters.........' },
    'invalid_request',
  ],
  ['no code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
  ['an empty code_challenge_method', { code_challenge_method: '' }, 'invalid_request'],
  ['the method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
  ['the method s256', { code_challenge_method: 's256' }, 'invalid_request'],
  ['a scope beyond the client', { scope: 'openid admin' }, 'invalid_scope'],
  ['a malformed scope', { scope: 'api.read "x"' }, 'invalid_scope'],
  ['an unsigned request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
  ['a request_uri', { request_uri: 'https://app.example.com/request' }, 'request_uri_not_supported'],
  ['no subject', { subject: undefined, prompt: 'none' }, 'login_required'],
  ['an empty subject', { subject: '', prompt: 'none' }, 'login_required'],
  ['a subject with a space', { subject: 'al ice' }, 'invalid_request'],
  ['a subject that is too long', { subject: 'a'.repeat(256) }, 'invalid_request'],
  ['a subject with characters beyond ASCII', { subject: 'alíce' }, 'invalid_request'],
  ['the client_id as subject', { subject: 'app' }, 'invalid_request'],
  ['registration', { registration: '{}' }, 'registration_not_supported'],
  ['response_mode web_message', { response_mode: 'web_message' }, 'invalid_request'],
  ...['none login', 'login none', 'create', 'LOGIN', 'login consent unknown'].map(
    (prompt): Refused => [`prompt ${prompt}`, { prompt }, 'invalid_request'],
  ),
  ...['-1', '1.5', 'soon', '12345678901'].map(
    (max_age): Refused => [`max_age ${max_age}`, { max_age }, 'invalid_request'],
  ),
  ...[
    ...['no json', '{', '[]', '{"userinfo":[]}', '{"userinfo":{"email":1}}', `{"x":"${'x'.repeat(9000)}"}`],
    '{"userinfo":{"sub":{"value":"a"}},"id_token":{"sub":{"value":"b"}}}',
  ].map((claims): Refused => [`claims ${claims.slice(0, 40)}`, { claims }, 'invalid_request']),
  ['an id_token_hint of nobody', { id_token_hint: 'no.id.token' }, 'invalid_request'],
]

t.test('every other error is redirected to the client', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { authorize } = await startService(t, { storage: spy.storage })
  spy.calls.length = 0
  for (const [name, overrides, error] of REDIRECTED) {
    const answer = await authorize(overrides)
    t.equal(answer.status, 302, name)
    t.ok(String(answer.headers.location).startsWith(SENT_TO_APP))
    t.equal(redirected(answer), error)
    t.same([...answer.redirect.keys()].sort(), ['error', 'error_description', 'iss', 'state'])
    t.equal(answer.redirect.get('state'), 'a state')
    t.equal(answer.redirect.get('iss'), ISSUER)
    t.match(answer.redirect.get('error_description'), /^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/, 'RFC 6749 §4.1.2.1')
  }
  t.notOk(spy.calls.includes('put code'), 'no code is created')
})

t.test('a redirected error says what a developer has to change', async (t) => {
  const { authorize, storage } = await startService(t)
  await createClient(
    storage,
    'machine',
    formatClient({ ...CLIENTS.service, client_id: 'machine', redirect_uris: [REDIRECT_URI] }),
  )
  const table: [overrides: Overrides, description: string][] = [
    [
      { code_challenge: undefined },
      'The parameter code_challenge is missing: use PKCE with code_challenge_method S256 (RFC 7636). A public client cannot be exempted.',
    ],
    [
      { client_id: 'web', code_challenge: undefined },
      'The parameter code_challenge is missing: use PKCE with code_challenge_method S256 (RFC 7636). An operator can exempt this client by its field require_pkce.',
    ],
    [
      { code_challenge_method: undefined },
      'code_challenge_method must be S256; if it is missing, it means plain, which is refused.',
    ],
    [
      { scope: 'openid admin' },
      'This client may not obtain the requested scope: admin. It may obtain: openid api.read api.write.',
    ],
    [
      { client_id: 'machine' },
      'This client is not registered for authorization_code: an operator can add it to its field grant_types.',
    ],
  ]
  for (const [overrides, description] of table) {
    const { redirect } = await authorize(overrides)
    t.equal(redirect.get('error_description'), description)
  }
})

t.test('valid variants of an authorization request', async (t) => {
  const { authorize } = await startService(t)
  const right: [name: string, overrides: Overrides][] = [
    ['no scope', { scope: undefined }],
    ['a blank scope', { scope: ' ' }],
    ['no state', { state: undefined }],
    ['no nonce', { nonce: undefined }],
    ['response_mode query', { response_mode: 'query' }],
    ['unknown parameters', { unknown: 'x', prompt: 'consent' }],
    ['a long subject', { subject: 'a'.repeat(255) }],
    ['another redirect_uri of the client', { redirect_uri: 'http://127.0.0.1/callback' }],
    ['its loopback address with a port', { redirect_uri: 'http://127.0.0.1:49152/callback' }],
  ]
  for (const [name, overrides] of right)
    t.match((await authorize(overrides)).redirect.get('code'), CODE, name)
})

t.test('a client without the grant type authorization_code gets no code', async (t) => {
  const { authorize, storage } = await startService(t)
  const client_id = 'machine'
  const machine = { ...CLIENTS.web, client_id, grant_types: ['client_credentials'] as const }
  await createClient(storage, client_id, formatClient(machine))
  t.equal(redirected(await authorize({ client_id })), 'unauthorized_client')
})

t.test('tokens have the scope of the code', async (t) => {
  const { code, token } = await startService(t)
  const table: [requested: string | undefined, granted: string][] = [
    [undefined, 'openid api.read api.write'],
    [' ', 'openid api.read api.write'],
    ['api.write openid', 'api.write openid'],
    ['api.read api.read', 'api.read'],
  ]
  for (const [scope, granted] of table) {
    const form = codeRequest(await code({ scope }), { scope: 'api.write' })
    t.equal((await token(form)).json.scope, granted, `${scope}`)
  }
})

t.test('a HEAD request gets no code, and continues no sign-in', async (t) => {
  const { fastify } = await startService(t)
  const query = new URLSearchParams(authorizationRequest())
  for (const path of ['/oauth2/authorize', '/oauth2/interaction']) {
    const { statusCode, headers } = await fastify.inject({ method: 'HEAD', url: `${path}?${query}` })
    t.equal(statusCode, 405, path)
    t.equal(headers.location, undefined)
  }
})

t.test('a form without a demo subject is repeated from here, with its cookies and no address', async (t) => {
  const { post } = await startService(t)
  const { subject: _, ...parameters } = authorizationRequest()
  const first = await post('/oauth2/authorize', { ...parameters, unknown: 'x' })
  t.equal(first.status, 200)
  t.equal(first.headers['set-cookie'], undefined, 'nothing waits yet')
  const fields = [...first.text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const sent = Object.fromEntries(fields.map(([, name = '', value = '']) => [name, value]))
  t.strictSame(sent, { ...parameters, repeated: 'true' }, 'what it knows')
  const second = await post('/oauth2/authorize', sent)
  t.equal(second.status, 303)
  t.match(String(second.headers.location), /^\/oauth2\/interaction\?transaction=/)
})

t.test('state is returned unchanged, with iss (RFC 9207)', async (t) => {
  const { authorize } = await startService(t)
  const states = ['0', ' ', 'a&code=b', '%2B+ #?=/', '"><script>', '漢字 😀', '__proto__', 'x'.repeat(2000)]
  for (const state of states) {
    for (const overrides of [{}, { response_type: 'token' }]) {
      const { redirect } = await authorize({ ...overrides, state })
      t.equal(redirect.get('state'), state)
      t.equal(redirect.getAll('iss').join(), ISSUER)
    }
  }
  for (const state of [undefined, '']) {
    t.notOk((await authorize({ state })).redirect.has('state'), 'no state without a state in the request')
    t.notOk((await authorize({ state, response_type: 'token' })).redirect.has('state'))
  }
})

t.test('the query of a registered redirect_uri is kept, byte by byte', async (t) => {
  const { storage, authorize } = await startService(t)
  const registered: Record<string, string> = {
    'https://app.example.com': '?',
    'https://app.example.com/%7Ecb%2Fx': '?',
    'com.example.app:/callback': '?',
    'https://app.example.com/cb?tenant=a%20b&empty=&x': '&',
    'https://app.example.com/cb?q=%c3%bc': '&',
    'https://app.example.com/cb?': '',
    'https://app.example.com/cb?a=1&': '',
  }
  const client = { ...CLIENTS.app, client_id: 'queries', redirect_uris: Object.keys(registered) }
  await createClient(storage, 'queries', formatClient(client))
  for (const [redirect_uri, separator] of Object.entries(registered)) {
    for (const [name, overrides] of Object.entries({ code: {}, error: { response_type: 'token' } })) {
      const { headers, redirect } = await authorize({ client_id: 'queries', redirect_uri, ...overrides })
      t.ok(String(headers.location).startsWith(`${redirect_uri}${separator}${name}=`), `${headers.location}`)
      t.equal(redirect.get('iss'), ISSUER)
    }
  }
})

t.test('an error is an HTML page, or JSON if the request accepts it', async (t) => {
  const { get } = await startService(t)
  const request = `/oauth2/authorize?${new URLSearchParams(authorizationRequest({ client_id: '<b>"&' }))}`
  const pages = [undefined, '*/*', 'text/html', 'text/html,application/json', 'text/*', 'image/png']
  for (const accept of pages) {
    const { status, headers, text } = await get(request, accept === undefined ? {} : { accept })
    t.equal(status, 400, `Accept: ${accept}`)
    t.equal(headers['content-type'], 'text/html; charset=utf-8')
    t.match(headers['content-security-policy'], "default-src 'none'")
    t.equal(headers['cache-control'], 'no-store')
    t.match(text, /^<!doctype html>/)
    t.notMatch(text, '<b>')
  }
  for (const accept of ['application/json', 'application/json, text/html;q=0.5', 'application/*']) {
    const { status, headers, json } = await get(request, { accept })
    t.equal(status, 400, `Accept: ${accept}`)
    t.match(headers['content-type'], /^application\/json/)
    t.same(Object.keys(json).sort(), ['error', 'error_description'])
    t.equal(json.error, 'invalid_request')
  }
})

t.test('outside demo mode the parameter subject does not sign in', async (t) => {
  const spy = spyOn(new MemoryStorage())
  const { authorize } = await startService(t, { storage: spy.storage, demo: false })
  for (const subject of ['alice', undefined, 'app', 'al ice']) {
    const answer = await authorize({ subject })
    t.equal(answer.status, 302)
    t.match(
      answer.headers.location,
      /^\/oauth2\/interaction\?transaction=/,
      `subject ${subject}: must sign in`,
    )
    const silent = await authorize({ subject, prompt: 'none' })
    t.equal(redirected(silent), 'login_required', `subject ${subject}`)
    t.notOk(silent.redirect.has('code'))
  }
  t.notOk(spy.calls.includes('put code'))
})
