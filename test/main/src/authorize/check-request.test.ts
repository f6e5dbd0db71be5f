// The table of checks: which checks run, in which order, and that no error gets a Target too early.
import t from 'tap'
import {
  checkRequest,
  identifyTarget,
  REQUEST_CHECKS,
  type Stage,
  TARGET_CHECKS,
} from '../../../../src/authorize/check-request.ts'
import { SIGNED_PARAMETERS, UNSUPPORTED_PARAMETERS } from '../../../../src/authorize/request.ts'
import { formatClient, parseClient } from '../../../../src/clients/record/client-record.ts'
import { OAuthError } from '../../../../src/core/errors.ts'
import { fieldsOf, type Parameters, readParameters } from '../../../../src/core/parameters.ts'
import { password } from '../../../../src/interaction/password-method.ts'
import { VerifiedTokens } from '../../../../src/keys/verified-jws.ts'
import { authorizationRequest, CLIENTS, REDIRECT_URI } from '../../../support/service.ts'

/** A request that breaks one rule, and the description of its error. */
type Breach = [overrides: Record<string, string | undefined>, description: RegExp]

const settings = {
  issuer: 'https://auth.example.com',
  require_pushed_authorization_requests: false,
  scope_claims: new Map(),
  sign_up: 'off',
  client_registration: 'off',
  demo: false,
} as const
const CONTEXT = {
  settings,
  detail_types: { find: async () => undefined },
  resources: { find: async () => undefined, findAny: async () => undefined },
  keys: { verificationKey: () => undefined, verified: new VerifiedTokens(), notBefore: 0 },
  methods: [password] as const,
}

const MACHINE = { ...CLIENTS.web, client_id: 'machine', grant_types: ['client_credentials'] as const }
const SIGNING = { ...CLIENTS.app, client_id: 'signing', require_signed_request_object: true }
const PUSHING = { ...CLIENTS.app, client_id: 'pushing', require_pushed_authorization_requests: true }
const REGISTERED = { ...CLIENTS, machine: MACHINE, signing: SIGNING, pushing: PUSHING }

const lookups: string[] = []
const clients = {
  async demand(client_id: string) {
    lookups.push(client_id)
    const definition = Object.values(REGISTERED).find((client) => client.client_id === client_id)
    const parsed = definition && parseClient(client_id, formatClient(definition))
    return parsed?.ok ? parsed.record : undefined
  },
}

/** One breach of each rule, in the order in which the rules are checked. */
const BREACHES: Record<string, Breach> = {
  'required client_id': [{ client_id: undefined }, /client_id is missing/],
  'required redirect_uri': [
    { redirect_uri: undefined },
    // It may be missing because there is a request_uri; pushed-requests.test.ts has that.
    /redirect_uri is missing|request_uri is not one of this server/,
  ],
  client: [{ client_id: 'nobody' }, /not that of a registered client/],
  redirect_uri: [{ redirect_uri: 'https://evil.example/' }, /redirect_uri is not one of those/],
  request: [{ request: 'e30.e30.' }, /unsigned request object is not supported/],
  request_uri: [{ request_uri: 'urn:x' }, /request_uri is not one of this server: push the request/],
  registration: [{ registration: '{}' }, /parameter registration is not supported: leave it out/],
  signed: [{ client_id: 'signing' }, /must sign its requests/],
  pushed: [{ client_id: 'pushing' }, /push it to https:\/\/auth\.example\.com\/oauth2\/par/],
  response_type: [{ response_type: 'token' }, /response_type must be code/],
  response_mode: [{ response_mode: 'fragment' }, /response_mode must be/],
  grant_type: [{ client_id: 'machine' }, /not registered for authorization_code/],
  resource: [{ resource: 'https://other.example' }, /resource https:\/\/other\.example is unknown/],
  scope: [{ scope: 'admin' }, /may not obtain the requested scope/],
  authorization_details: [{ authorization_details: '{}' }, /is not a JSON array/],
  pkce: [{ code_challenge_method: 'plain' }, /code_challenge_method must be S256/],
  dpop_jkt: [{ dpop_jkt: 'short' }, /dpop_jkt must be the SHA-256 thumbprint/],
  max_age: [{ max_age: '-1' }, /max_age must be a number/],
  prompt: [{ prompt: 'none login' }, /prompt must not have none/],
  claims: [{ claims: '[]' }, /claims must be a JSON object/],
  id_token_hint: [{ id_token_hint: 'x' }, /id_token_hint is not an id_token that this server issued/],
  acr: [{ claims: '{"id_token":{"acr":{"essential":true,"value":"9"}}}' }, /No way of signing in here/],
}
const NEEDS_NO_TARGET = 4

async function errorOf(parameters: Parameters): Promise<{ error: OAuthError; has_target: boolean }> {
  let has_target = false
  try {
    const target = await identifyTarget('authorize', { parameters, clients, settings })
    has_target = true
    await checkRequest('authorize', parameters, target, CONTEXT)
  } catch (error) {
    if (error instanceof OAuthError) return { error, has_target }
    throw error
  }
  throw new Error('the request is valid')
}

t.test('the checks and their order', async (t) => {
  t.strictSame(
    TARGET_CHECKS.map(({ name }) => name),
    ['required', 'client', 'redirect_uri'],
  )
  t.strictSame(
    REQUEST_CHECKS.map(({ name }) => name),
    [
      'readable',
      'unsupported',
      'signed',
      'pushed',
      'response_type',
      'response_mode',
      'client_grant_types',
      'resource',
      'scope',
      'authorization_details',
      'details_pushed',
      'length',
      'pushed_length',
      'pkce',
      'dpop_jkt',
      'max_age',
      'prompt',
      'claims',
      'id_token_hint',
      'acr',
      'unchecked',
    ],
  )
  const left_out = (stage: Stage) =>
    [...TARGET_CHECKS, ...REQUEST_CHECKS].filter(({ at }) => !at[stage]).map(({ name }) => name)
  t.strictSame(left_out('authorize'), ['pushed_length'])
  t.strictSame(
    left_out('par'),
    ['client', 'pushed', 'details_pushed', 'length'],
    'the client was authenticated, and the request is pushed',
  )
  t.strictSame(
    left_out('accepted'),
    [
      'readable',
      'unsupported',
      'signed',
      'pushed',
      'details_pushed',
      'length',
      'pushed_length',
      'id_token_hint',
    ],
    'how it was sent',
  )
})

t.test('of two broken rules, the one that is checked first decides the error', async (t) => {
  const breaches = Object.entries(BREACHES)
  for (const [index, [name, [overrides, description]]] of breaches.entries()) {
    for (const [other, [more]] of [['no other rule', [{}]] as const, ...breaches.slice(index + 1)]) {
      const { error, has_target } = await errorOf(authorizationRequest({ ...more, ...overrides }))
      t.match(error.description, description, `${name} before ${other}`)
      t.equal(has_target, index >= NEEDS_NO_TARGET, `${name}: whether the error can be redirected`)
    }
  }
})

t.test(
  'a parameter that cannot be read is an error of the request, and only three hide the client',
  async (t) => {
    const given = (overrides = {}) => String(new URLSearchParams(fieldsOf(authorizationRequest(overrides))))
    const known = [...SIGNED_PARAMETERS, ...UNSUPPORTED_PARAMETERS]
    const hidden = ['client_id', 'redirect_uri', 'response_mode']
    for (const name of known) {
      for (const fault of [`${name}=%FF`, `${name}=%00`, `${name}=urn:x+y&${name}=urn:x+y`]) {
        const query = given({ response_type: 'token', [name]: undefined })
        const { error, has_target } = await errorOf(readParameters(`${query}&${fault}`))
        t.match(error.description, new RegExp(`(?:parameter|value of) ${name} `), fault)
        t.equal(error.code, fault.includes('resource=urn') ? 'invalid_target' : 'invalid_request')
        t.equal(has_target, !hidden.includes(name), `${name}: whether the error can be redirected`)
      }
      if (!hidden.includes(name)) continue
      lookups.length = 0
      await errorOf(readParameters(`${given({ [name]: undefined })}&${name}=%FF`))
      t.strictSame(lookups, [], 'no client is looked up')
    }
    for (const name of ['request', 'request_uri']) {
      const query = given({ redirect_uri: undefined })
      const { error } = await errorOf(readParameters(`${query}&${name}=1&${name}=2`))
      t.match(
        error.description,
        `${name} is given more than once`,
        'a reason for a redirect_uri that is missing',
      )
    }
    const unknown = 'utm=1&utm=2&note=a%0Ab&x=%E0%A4%A&%FF=1&display=page&display=page'
    const parameters = readParameters(`${given()}&${unknown}`)
    const target = await identifyTarget('authorize', { parameters, clients, settings })
    t.equal(
      (await checkRequest('authorize', parameters, target, CONTEXT)).scope,
      parameters.scope,
      'RFC 6749 §3.1',
    )
    const twice = readParameters(`${given()}&state=another`)
    t.notOk('state' in (await identifyTarget('authorize', { parameters: twice, clients, settings })))
  },
)

t.test('a client is looked up only for a request that has both required parameters', async (t) => {
  lookups.length = 0
  await errorOf(authorizationRequest({ client_id: undefined }))
  await errorOf(authorizationRequest({ redirect_uri: undefined }))
  t.strictSame(lookups, [])
  await errorOf(authorizationRequest({ client_id: 'nobody' }))
  t.strictSame(lookups, ['nobody'])
})

t.test('a valid request', async (t) => {
  const parameters = authorizationRequest({ prompt: 'login consent', max_age: '60' })
  const target = await identifyTarget('authorize', { parameters, clients, settings })
  t.match(target, { redirect_uri: REDIRECT_URI, response_mode: 'query', state: 'a state' })
  t.equal(target.client.client_id, 'app')
  const { prompt, ...request } = await checkRequest('authorize', parameters, target, CONTEXT)
  t.strictSame([...prompt], ['login', 'consent'])
  t.strictSame(request, {
    client: target.client,
    redirect_uri: REDIRECT_URI,
    scope: parameters.scope,
    code_challenge: parameters.code_challenge,
    nonce: parameters.nonce,
    subject: parameters.subject,
    max_age: 60,
    claims: { userinfo: [], id_token: [] },
  })
})

t.test('the mode of the response', async (t) => {
  const object = (claims: object) =>
    `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`
  const table: [overrides: Record<string, string>, mode: string][] = [
    [{}, 'query'],
    [{ response_mode: 'form_post' }, 'form_post'],
    [{ response_mode: 'fragment' }, 'query'],
    [{ request: object({ response_mode: 'form_post' }) }, 'form_post'],
    [{ request: object({ response_mode: 'form_post' }), response_mode: 'query' }, 'query'],
    [{ request: 'x' }, 'query'],
  ]
  for (const [overrides, mode] of table) {
    const parameters = authorizationRequest(overrides)
    const target = await identifyTarget('authorize', { parameters, clients, settings })
    t.equal(target.response_mode, mode, JSON.stringify(overrides))
  }
})

t.test('a pushed request is that of the client that authenticated: no other is looked up', async (t) => {
  const parameters = authorizationRequest()
  const { client } = await identifyTarget('authorize', { parameters, clients, settings })
  const noClients = { demand: () => t.fail('a client is looked up') as never }
  const target = await identifyTarget('par', { parameters, clients: noClients, client, settings })
  t.equal(target.client, client)
})
