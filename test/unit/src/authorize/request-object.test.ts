// Which request objects are refused, and what is read of the others (RFC 9101 §4 and §6).
import t from 'tap'
import { readRequestObject } from '../../../../src/authorize/request-object.ts'
import { ClientKeys } from '../../../../src/clients/keys/client-keys.ts'
import {
  type ClientDefinition,
  formatClient,
  parseClient,
} from '../../../../src/clients/record/client-record.ts'
import { SIGNING_ALGS } from '../../../../src/core/algs.ts'
import { OAuthError } from '../../../../src/core/errors.ts'
import { faultIn } from '../../../../src/core/parameters.ts'
import { inheritedNames } from '../../../support/inherited-names.ts'
import { objectClaims } from '../../../support/request-objects.ts'
import { authorizationRequest, CLIENTS, ISSUER } from '../../../support/service.ts'
import {
  assertionOf,
  type Claims,
  type IssuerKey,
  issuerKey,
  keySetOf,
} from '../../../support/trusted-issuer.ts'

const NOW = 1_800_000_000
const KEY = issuerKey()
const KEYS = SIGNING_ALGS.map((alg) => issuerKey(alg, alg))
const nothing = { registered: async () => '', described: async () => '' } as never

function clientOf(definition: Partial<ClientDefinition> = {}, keys: readonly IssuerKey[] = [KEY]) {
  const client = { ...CLIENTS.app, jwks: JSON.parse(keySetOf(...keys)), ...definition }
  const hash = { ...formatClient(client), jwks: keySetOf(...keys) }
  const parsed = parseClient('app', hash)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.record
}

async function read(jwt: string, client = clientOf(), looked_up: string[] = []) {
  const now = () => NOW * 1000
  const client_keys = new ClientKeys(nothing, now)
  const find: ClientKeys['find'] = (...args) => {
    looked_up.push('key')
    return client_keys.find(...args)
  }
  return readRequestObject({ client_keys: { find }, settings: { issuer: ISSUER }, now }, jwt, client)
}

/** The reason why an object is refused, or `ok`. */
async function reasonOf(...args: Parameters<typeof read>): Promise<string> {
  try {
    await read(...args)
    return 'ok'
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return error.code === 'invalid_request_object' ? error.description : error.code
  }
}

const signed = (overrides: Claims = {}, header: Claims = {}, key = KEY) =>
  assertionOf(
    key,
    objectClaims(authorizationRequest(), overrides, () => NOW * 1000),
    {
      typ: 'oauth-authz-req+jwt',
      ...header,
    },
  )

t.test('what a request object asks for', async (t) => {
  t.same(await read(signed({ subject: undefined })), authorizationRequest({ subject: undefined }))
  const more = {
    max_age: 60,
    claims: { id_token: { acr: { essential: true } } },
    resource: ['https://a.example', 'https://b.example'],
    acr_values: '',
    display: ['page'],
    client_secret: 'x',
    toString: 'x',
    __proto__: { prompt: 'none' },
  }
  const parameters = await read(signed(more))
  t.same(
    parameters,
    authorizationRequest({
      max_age: '60',
      claims: '{"id_token":{"acr":{"essential":true}}}',
      resource: 'https://a.example https://b.example',
    }),
    'an empty value is absent, and unknown claims are ignored',
  )
  t.strictSame(inheritedNames(parameters), [])
  t.equal((await read(signed({ resource: 'https://a.example' }))).resource, 'https://a.example')
  t.equal((await read(signed({ registration: { x: 1 } }))).registration, '{"x":1}', 'to be refused')
})

t.test('with each algorithm, and each spelling of its type', async (t) => {
  const client = clientOf({}, KEYS)
  for (const key of KEYS) t.equal(await reasonOf(signed({}, {}, key), client), 'ok', key.alg)
  const [edwards] = KEYS.filter(({ alg }) => alg === 'EdDSA')
  for (const pinned of [{}, { request_object_signing_alg: 'EdDSA' }] as const) {
    const reason = await reasonOf(signed({}, { alg: 'Ed25519' }, edwards), clientOf(pinned, KEYS))
    t.equal(reason, 'ok', 'RFC 9864: the other name of EdDSA')
  }
  for (const typ of [
    undefined,
    'JWT',
    'application/jwt',
    'application/oauth-authz-req+jwt',
    'OAuth-Authz-Req+JWT',
  ]) {
    t.equal(await reasonOf(signed({}, { typ })), 'ok', String(typ))
  }
  for (const aud of [ISSUER, [ISSUER], ['https://other.example', ISSUER]])
    t.equal(await reasonOf(signed({ aud })), 'ok')
  t.equal(await reasonOf(signed({}, { kid: undefined })), 'ok', 'the only key for the algorithm')
  t.equal(await reasonOf(signed({ sub: 'alice' })), 'ok', 'a sub that is not the client')
})

const CLAIMS: [name: string, overrides: Claims, reason: RegExp][] = [
  ['no iss', { iss: undefined }, /iss must be the client_id/],
  ['iss of another client', { iss: 'web' }, /iss must be/],
  ['iss in an array', { iss: ['app'] }, /iss must be/],
  ['no client_id', { client_id: undefined, iss: 'app' }, /client_id must be that of the request/],
  ['another client_id', { client_id: 'web', iss: 'app' }, /client_id must be/],
  ['no aud', { aud: undefined }, /aud must be the issuer/],
  ['another aud', { aud: 'https://other.example' }, /aud must be/],
  ['the token endpoint as aud', { aud: `${ISSUER}/oauth2/token` }, /aud must be/],
  ['two others in aud', { aud: ['https://one.example', 'https://other.example'] }, /aud must be/],
  ['a list in the list', { aud: [[ISSUER]] }, /aud must be/],
  ['an empty aud', { aud: [] }, /aud must be/],
  ['sub is the client', { sub: 'app' }, /sub must not be the client_id/],
  ['request inside', { request: 'x' }, /must not have request/],
  ['request_uri inside', { request_uri: 'urn:x' }, /must not have request/],
  ['request inside that is null', { request: null }, /must not have request/],
  ['no exp', { exp: undefined }, /needs exp/],
  ['exp as text', { exp: String(NOW + 60) }, /needs exp/],
  ['exp that is no number', { exp: null }, /needs exp/],
  ['no nbf', { nbf: undefined }, /needs nbf/],
  ['nbf as text', { nbf: String(NOW) }, /needs nbf/],
  ['iat as text', { iat: String(NOW) }, /iat is not a number/],
  ['expired', { nbf: NOW - 300, exp: NOW - 30 }, /has expired/],
  ['not valid yet', { nbf: NOW + 31, exp: NOW + 60 }, /not valid yet/],
  ['issued in the future', { iat: NOW + 31 }, /not valid yet/],
  ['begun long ago', { nbf: NOW - 3631, exp: NOW - 29 }, /nbf is more than 60 minutes ago/],
  ['valid for long', { nbf: NOW, exp: NOW + 3601 }, /more than 60 minutes/],
]

t.test('claims that are refused, before a key is looked for', async (t) => {
  for (const [name, overrides, reason] of CLAIMS) {
    const looked_up: string[] = []
    t.match(await reasonOf(signed(overrides), undefined, looked_up), reason, name)
    t.strictSame(looked_up, [], name)
  }
  for (const [name, overrides] of [
    ['a clock that is a little ahead', { nbf: NOW + 30, exp: NOW + 60 }],
    ['and one that is behind', { nbf: NOW - 300, exp: NOW - 29 }],
    ['60 minutes', { nbf: NOW, exp: NOW + 3600 }],
    ['60 minutes ago', { nbf: NOW - 3600, exp: NOW - 1 }],
  ] as const) {
    t.equal(await reasonOf(signed(overrides)), 'ok', name)
  }
})

/** Parameters of another JSON type than theirs (RFC 9101 §4): faults, which are told to the client. */
const FAULTS: [name: string, parameter: string, value: unknown, problem: RegExp][] = [
  ['max_age as text', 'max_age', '60', /max_age must be a whole number/],
  ['max_age with a fraction', 'max_age', 1.5, /max_age must be/],
  ['claims as text', 'claims', '{}', /claims must be a JSON object/],
  ['claims in an array', 'claims', [], /claims must be/],
  [
    'details as text',
    'authorization_details',
    '[{"type":"a"}]',
    /authorization_details must be a JSON array/,
  ],
  ['details as an object', 'authorization_details', { type: 'a' }, /authorization_details must be/],
  ['registration as text', 'registration', '{}', /registration must be/],
  ['scope in an array', 'scope', ['openid'], /scope must be a string/],
  ['state as a number', 'state', 1, /state must be a string/],
  ['state that is null', 'state', null, /state must be a string/],
  ['nonce as an object', 'nonce', {}, /nonce must be a string/],
  ['prompt as a boolean', 'prompt', true, /prompt must be a string/],
  ['a control character', 'state', 'a\nb', /state must be a string without/],
  ['half a character', 'state', '\uD800', /state must be a string without/],
  ['a control character in a resource', 'resource', ['https://a.example', 'x y'], /resource must be a URI/],
  ['a resource that is no text', 'resource', ['https://a.example', 1], /resource must be/],
]

t.test('a parameter of another type is a fault of its own', async (t) => {
  for (const [name, parameter, value, problem] of FAULTS) {
    const parameters = await read(signed({ [parameter]: value }))
    t.equal(parameters[parameter], undefined, name)
    t.match(faultIn(parameters, [parameter]), { code: 'invalid_request_object', description: problem })
    t.equal(faultIn(parameters, ['client_id', 'redirect_uri', 'response_mode']), undefined)
  }
  t.equal(
    (await read(signed({ display: [1], client_secret: {} }))).display,
    undefined,
    'unknown ones do not matter',
  )
})

t.test('headers and signatures that are refused', async (t) => {
  const other = issuerKey()
  const table: [name: string, jwt: string, reason: RegExp, client?: ReturnType<typeof clientOf>][] = [
    ['the type of an assertion', signed({}, { typ: 'client-authentication+jwt' }), /typ must be/],
    ['the type of an access token', signed({}, { typ: 'at+jwt' }), /typ must be/],
    ['the type of a DPoP proof', signed({}, { typ: 'dpop+jwt' }), /typ must be/],
    ['another kid', signed({}, { kid: 'another' }), /no such key/],
    ['a key of nobody', signed({}, { kid: KEY.kid }, other), /signature is invalid/],
    ['a key in the header', signed({}, { jwk: other.jwk, kid: undefined }, other), /signature is invalid/],
    [
      'an address in the header',
      signed({}, { jku: 'https://evil.example/jwks', kid: 'x' }, other),
      /no such key/,
    ],
    ['no keys', signed(), /no such key/, { ...clientOf(), jwks: undefined } as never],
    [
      'another algorithm of the client',
      signed(),
      /request_object_signing_alg/,
      clientOf({ request_object_signing_alg: 'PS256' }),
    ],
    ['longer than 62806 characters', signed({ state: 's'.repeat(48_000) }), /longer than 62806/],
  ]
  for (const [name, jwt, reason, client] of table) t.match(await reasonOf(jwt, client), reason, name)
  t.equal(await reasonOf(signed(), clientOf({ request_object_signing_alg: 'ES256' })), 'ok')
})

t.test('details are an array, which is read as text (RFC 9396 §4)', async (t) => {
  const authorization_details = [{ type: 'payment', amount: 1 }]
  const parameters = await read(signed({ authorization_details }))
  t.equal(parameters.authorization_details, JSON.stringify(authorization_details))
})
