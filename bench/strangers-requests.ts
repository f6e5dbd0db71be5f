// The requests without credentials that bench/strangers.ts measures, and the records that they are about.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Writable } from 'node:stream'
import type { FastifyInstance, InjectOptions } from 'fastify'
import redmint from '../app.ts'
import { createInstance } from '../instance.ts'
import { CLIENT } from '../src/clients/record/client-kind.ts'
import { formatClient } from '../src/clients/record/client-record.ts'
import { PATHS, ROOT_PATHS } from '../src/core/paths.ts'
import { SET_EVENT, SET_MEDIA_TYPE, SET_TYP } from '../src/core/security-events.ts'
import { MemoryStorage } from '../src/storage/memory/storage.ts'
import { CN, issue, name, proxied, WITH_CERTIFICATES } from '../test/support/certificates.ts'
import { DEVICE_GRANT } from '../test/support/device.ts'
import { makeDpopKey, makeProof } from '../test/support/dpop.ts'
import { behindProxy } from '../test/support/forward-auth.ts'
import { createClient } from '../test/support/records.ts'
import { APP } from '../test/support/registration.ts'
import { objectClaims } from '../test/support/request-objects.ts'
import { authorizationRequest, basic, bearer, CLIENTS, codeRequest, ISSUER } from '../test/support/service.ts'
import {
  assertionOf,
  CLIENT_ASSERTION_TYPE,
  claimsOf,
  issuerKey,
  trust,
} from '../test/support/trusted-issuer.ts'

/** A kind of request: as usual, and as dear as its sender or the record that it names can make it. */
export interface Row {
  readonly name: string
  readonly normal: () => InjectOptions
  readonly largest?: { readonly what: string; readonly request: () => InjectOptions }
}

const NOBODY = issuerKey('key')
/** What a proxy says of a request for an application behind it. */
const FORWARDED = {
  'x-forwarded-method': 'GET',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'intranet.example.org',
  'x-forwarded-uri': '/',
}
const PROOF_KEY = makeDpopKey()
const SELF_SIGNED = { token_endpoint_auth_method: 'self_signed_tls_client_auth' }
const KEYS = { token_endpoint_auth_method: 'private_key_jwt' }

/** What is off by default, and has pages that anybody can ask for. Nobody takes the mails. */
const EVERY_DOOR = {
  smtp_url: 'smtp://localhost:9',
  mail_from: 'Example <login@example.com>',
  service_name: 'Example',
  sign_in: 'providers',
  sign_up: 'open',
  forward_auth_clients: ['intranet'],
  ask_people: 'on',
  audit: 'on',
  shared_signals: 'on',
  receive_signals: 'on',
  trusted_issuers: true,
  global_token_revocation: 'on',
  status_lists: 'on',
} as const

/** The row of an event that only its signature refuses. */
export const FORGED_EVENT = `POST \`${PATHS.signals}\`: forged event`

/** No provider has this name. */
const NOBODYS_PROVIDER = 'nobody'

/** The path of a request, with a value for what stands for one. */
const askedPath = (path: string) => path.replace(':provider', NOBODYS_PROVIDER).replace(':list', 'none')

/** Where receivers of events ask, besides the configuration of their stream. */
const OF_RECEIVERS = [
  PATHS.signal_status,
  PATHS.signal_add_subject,
  PATHS.signal_remove_subject,
  PATHS.signal_verify,
  `${PATHS.signal_poll}/a`,
] as const

/** An RSA key of 8192 bits with the largest exponent. Nobody has its private key. */
const LARGE_RSA = (() => {
  const n = randomBytes(1024)
  n[0] = 0xff
  n[1023] = 0xff
  return { kty: 'RSA', n: n.toString('base64url'), e: '_____w' }
})()

/** Trusted issuers, whose signals are taken. */
const SENDER = 'https://signals.example.org'
const RSA_SENDER = 'https://rsa.example.org'

const jwkOf = (type: 'ec' | 'x25519') =>
  (type === 'ec'
    ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
    : generateKeyPairSync('x25519')
  ).publicKey.export({ format: 'jwk' })

const manySigning = () => Array.from({ length: 20 }, (_, i) => ({ ...jwkOf('ec'), kid: `k${i}`, use: 'sig' }))

/** Returns a service with clients of normal and of largest size, to which strangers may send all that it knows. */
export async function startBesieged(): Promise<FastifyInstance> {
  const storage = new MemoryStorage()
  const { client_secret_hash: _, ...bare } = CLIENTS.web
  const { redirect_uris: __, ...app } = CLIENTS.app
  const set = (...keys: object[]) => JSON.stringify({ keys })
  const web = formatClient(CLIENTS.web)
  const with_keys = { ...formatClient({ ...bare, is_public: true }), is_public: 'false' }
  const encrypted = (alg: string, jwk: object) => ({
    ...web,
    jwks: set({ ...jwk, use: 'enc' }),
    authorization_encrypted_response_alg: alg,
  })
  const many = Array.from({ length: 2000 }, (_, i) => `https://app.example.com/callback/tenant-${i}`)
  const clients: Record<string, Record<string, string>> = {
    web,
    app: { ...formatClient(CLIENTS.app), grant_types: `authorization_code ${DEVICE_GRANT}` },
    service: formatClient(CLIENTS.service),
    intranet: formatClient(behindProxy('https://intranet.example.org')),
    many: { ...formatClient({ ...app, redirect_uris: many }) },
    'ec-encrypted': encrypted('ECDH-ES', jwkOf('ec')),
    'x-encrypted': encrypted('ECDH-ES', jwkOf('x25519')),
    'rsa-encrypted': encrypted('RSA-OAEP-256', LARGE_RSA),
    signer: { ...with_keys, ...KEYS, jwks: set({ ...jwkOf('ec'), kid: 'key', use: 'sig' }) },
    signers: { ...with_keys, ...KEYS, jwks: set(...manySigning()) },
    'rsa-signer': { ...with_keys, ...KEYS, jwks: set({ ...LARGE_RSA, kid: 'key', use: 'sig' }) },
    certified: { ...with_keys, ...SELF_SIGNED, jwks: set(jwkOf('ec')) },
    'certified-many': { ...with_keys, ...SELF_SIGNED, jwks: set(...manySigning()) },
  }
  for (const [client_id, hash] of Object.entries(clients)) {
    const found = CLIENT.parse({ ...hash, client_id }, client_id)
    if (!found.ok) throw new Error(`${client_id} is malformed: ${JSON.stringify(found.problems)}`)
    await createClient(storage, client_id, { ...hash, client_id })
  }
  for (const [issuer, jwk] of [
    [SENDER, jwkOf('ec')],
    [RSA_SENDER, LARGE_RSA],
  ] as const)
    await trust(storage, NOBODY, { issuer, jwks: set({ ...jwk, kid: 'key', use: 'sig' }), signals: true })
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() })
  const service = createInstance({ level: 'info', stream })
  await service.register(redmint, {
    issuer: ISSUER,
    storage,
    demo: 'public',
    ...EVERY_DOOR,
    home: true,
    client_auth_failures: 1_000_000,
    client_registration: 'open',
    client_registrations: 100_000,
    client_registrations_per_address: 100_000,
    par_requests: 100_000,
    device_requests: 1000,
    ...WITH_CERTIFICATES,
  })
  await service.ready()
  return service
}

const get =
  (path: string, query: Record<string, string> = {}, headers = {}) =>
  () =>
    ({ method: 'GET', url: `${path}?${new URLSearchParams(query)}`, headers }) as const

const post =
  (url: string, form: Record<string, string>, headers = {}) =>
  () =>
    ({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: new URLSearchParams(form).toString(),
    }) as const

const postJson =
  (url: string, payload: object, headers = {}) =>
  () =>
    ({ method: 'POST', url, payload, headers }) as const

const register = (metadata: object) => postJson(PATHS.register, metadata)

const signal = (path: string, token: string) => () =>
  ({
    method: 'POST',
    url: askedPath(path),
    headers: { 'content-type': SET_MEDIA_TYPE },
    payload: token,
  }) as const

/** Returns a JWT by RS256 with a signature as long as that of LARGE_RSA; others as they are. */
function lengthened(jwt: string): string {
  const [header = '', claims, signature] = jwt.split('.')
  const is_rsa = Buffer.from(header, 'base64url').includes('RS256')
  return [header, claims, is_rsa ? Buffer.alloc(1024, 1).toString('base64url') : signature].join('.')
}

/** The paths of which no row has a request. */
export function missingPaths(rows: readonly Row[]): string[] {
  const asked = rows.map(({ normal }) => String(normal().url))
  const paths = [...Object.values(PATHS), ...Object.values(ROOT_PATHS)]
  return paths.filter((path) => !asked.some((url) => url.startsWith(askedPath(path))))
}

/** Returns all rows. */
export function makeRequests(): Row[] {
  const { authorize, token, userinfo } = PATHS
  const asking = (overrides: Record<string, string | undefined> = {}) =>
    get(authorize, authorizationRequest({ subject: undefined, ...overrides }))
  const silent = (client_id: string, response_mode: string) =>
    asking({ client_id, response_mode, prompt: 'none' })
  const assertion = (client_id: string, key = NOBODY) =>
    post(token, {
      grant_type: 'client_credentials',
      client_assertion_type: CLIENT_ASSERTION_TYPE,
      client_assertion: lengthened(assertionOf(key, claimsOf(client_id, client_id))),
    })
  const rsa_nobody = issuerKey('key', 'RS256')
  const forged = (client_id: string, key = NOBODY) => {
    const jwt = assertionOf(key, objectClaims(authorizationRequest({ client_id })), {
      typ: 'oauth-authz-req+jwt',
    })
    return get(authorize, { client_id, request: lengthened(jwt) })
  }
  const proof = (key = PROOF_KEY, jwk: object = key.jwk) => {
    const claims = { htm: 'POST', htu: ISSUER + token, iat: Math.floor(Date.now() / 1000) + 5 }
    return { dpop: makeProof(key, claims, { jwk }) }
  }
  const rsa_proof = makeDpopKey('RS256', { modulusLength: 4096 })
  const hint = assertionOf(NOBODY, claimsOf(ISSUER, 'alice', { aud: 'app' }), { kid: 'unknown' })
  const certificate = (parts: number) =>
    proxied(issue({ subject: name(...Array.from({ length: parts }, () => [CN, 'a'] as const)) }), false)
  const certified = (client_id: string, parts: number) =>
    post(token, { grant_type: 'client_credentials', client_id }, certificate(parts))
  const jwt = assertionOf(NOBODY, claimsOf(ISSUER, 'alice'), { typ: 'at+jwt' })
  const code = codeRequest('a'.repeat(60))
  const long = 'x'.repeat(3500)
  const names = Array.from({ length: 3500 }, (_, i) => i.toString(36)).join(' ')
  const documents = [
    PATHS.icon,
    PATHS.demo,
    PATHS.demo_device,
    PATHS.demo_mail,
    PATHS.jwks,
    PATHS.device,
    PATHS.account,
    PATHS.forgot_password,
    PATHS.reset_password,
    PATHS.sign_up,
    PATHS.welcome,
    PATHS.confirm_address,
    PATHS.not_me,
    PATHS.asked,
    PATHS.status_lists,
    PATHS.status_list,
  ]
  const of_nobody = bearer('a'.repeat(60))
  const event = (iss: string, key = NOBODY, more: object = {}) => {
    const events = { [SET_EVENT.session_revoked]: {} }
    const claims = claimsOf(iss, 'alice', { sub: undefined, exp: undefined, events, ...more })
    return lengthened(assertionOf(key, claims, { typ: SET_TYP }))
  }
  const link = 'a'.repeat(43)
  const cookies = Array.from({ length: 100 }, (_, i) => `c${i}=${'x'.repeat(70)}`).join('; ')
  return [
    ...[...new Set(['/', '/health', ...documents, ...Object.values(ROOT_PATHS)])].map((path) => ({
      name: `GET \`${path}\``,
      normal: get(askedPath(path)),
    })),
    {
      name: 'authorize: unknown client',
      normal: asking({ client_id: 'nobody' }),
      largest: { what: 'client_id', request: asking({ client_id: long }) },
    },
    {
      name: 'authorize: to the sign-in',
      normal: asking(),
      largest: { what: '`state`', request: asking({ state: long }) },
    },
    {
      name: 'authorize: unknown scopes',
      normal: asking({ scope: 'other' }),
      largest: { what: '3,500 names', request: asking({ scope: names.slice(0, 10_000) }) },
    },
    {
      name: 'authorize: unregistered `redirect_uri`',
      normal: asking({ redirect_uri: 'https://app.example.com/callbacks' }),
      largest: {
        what: '2,000 registered ones',
        request: asking({ client_id: 'many', redirect_uri: 'https://app.example.com/callback/tenant-x' }),
      },
    },
    {
      name: 'authorize: `id_token_hint` of a stranger',
      normal: asking({ id_token_hint: hint, prompt: 'none' }),
    },
    { name: 'authorize: `prompt=none`', normal: silent('web', 'query') },
    { name: 'authorize: the same, signed response (RS256)', normal: silent('web', 'jwt') },
    {
      name: 'authorize: the same, encrypted response',
      normal: silent('ec-encrypted', 'jwt'),
      largest: { what: 'RSA, 8192 bits, e = 2^32 - 1', request: silent('rsa-encrypted', 'jwt') },
    },
    { name: 'authorize: the same, to X25519', normal: silent('x-encrypted', 'jwt') },
    {
      name: 'authorize: forged request object',
      normal: forged('signer'),
      largest: { what: 'RSA, 8192 bits, e = 2^32 - 1', request: forged('rsa-signer', rsa_nobody) },
    },
    {
      name: 'pushed request of a public client',
      normal: post(PATHS.par, authorizationRequest()),
      largest: { what: '`state`', request: post(PATHS.par, authorizationRequest({ state: long })) },
    },
    { name: 'device authorization', normal: post(PATHS.device_authorization, { client_id: 'app' }) },
    { name: 'interaction of another browser', normal: get(`${PATHS.interaction}/unknown`) },
    {
      name: 'forgotten password: unknown name',
      normal: post(PATHS.forgot_password, { username: 'nobody' }),
      largest: { what: 'the name', request: post(PATHS.forgot_password, { username: long }) },
    },
    {
      name: 'forgotten password: forged link',
      normal: post(PATHS.reset_password, { link, password: 'correct horse battery staple' }),
      largest: { what: 'the password', request: post(PATHS.reset_password, { link, password: long }) },
    },
    {
      name: 'new account: an address',
      normal: post(PATHS.sign_up, { email: 'somebody@example.net' }),
      largest: { what: 'the address', request: post(PATHS.sign_up, { email: `${long}@example.net` }) },
    },
    ...[PATHS.welcome, PATHS.confirm_address, PATHS.not_me].map((path) => ({
      name: `POST \`${path}\`: forged link`,
      normal: post(path, { link }),
    })),
    { name: 'recovery codes of another browser', normal: post(PATHS.recovery_codes, {}) },
    {
      name: 'answer of a provider that nobody asked',
      normal: get(askedPath(PATHS.provider_callback), { state: link, code: link }),
      largest: {
        what: '`code`',
        request: get(askedPath(PATHS.provider_callback), { state: link, code: long }),
      },
    },
    {
      name: 'logout by a provider: forged token',
      normal: post(askedPath(PATHS.provider_logout), { logout_token: hint }),
    },
    {
      name: 'application behind a proxy: no session',
      normal: get(PATHS.forward_auth, {}, FORWARDED),
      largest: { what: 'cookies', request: get(PATHS.forward_auth, {}, { ...FORWARDED, cookie: cookies }) },
    },
    {
      name: 'question about a person: wrong secret',
      normal: post(
        PATHS.backchannel_authentication,
        { login_hint: 'alice' },
        basic('service', 'x'.repeat(43)),
      ),
      largest: {
        what: '`login_hint`',
        request: post(
          PATHS.backchannel_authentication,
          { login_hint: long },
          basic('service', 'x'.repeat(43)),
        ),
      },
    },
    {
      name: 'end of all tokens of a person: unknown token',
      normal: postJson(PATHS.global_revocation, { sub_id: { format: 'opaque', id: 'a' } }, of_nobody),
      largest: {
        what: 'the subject',
        request: postJson(PATHS.global_revocation, { sub_id: { format: 'opaque', id: long } }, of_nobody),
      },
    },
    {
      name: FORGED_EVENT,
      normal: signal(PATHS.signals, event(SENDER)),
      largest: {
        what: 'RSA, 8192 bits, e = 2^32 - 1',
        request: signal(PATHS.signals, event(RSA_SENDER, rsa_nobody)),
      },
    },
    {
      name: `POST \`${PATHS.provider_signals}\`: unknown provider`,
      normal: signal(PATHS.provider_signals, event(SENDER)),
      largest: {
        what: 'the event',
        request: signal(PATHS.provider_signals, event(SENDER, NOBODY, { long })),
      },
    },
    {
      name: `GET \`${PATHS.signal_stream}\`: unknown token`,
      normal: get(PATHS.signal_stream, {}, of_nobody),
    },
    ...OF_RECEIVERS.map((path) => ({
      name: `POST \`${path}\`: unknown token`,
      normal: postJson(path, { stream_id: 'a' }, of_nobody),
      largest: { what: 'the body', request: postJson(path, { stream_id: long }, of_nobody) },
    })),
    { name: 'language', normal: post(PATHS.language, { language: 'de' }) },
    {
      name: 'token: unknown code',
      normal: post(token, code),
      largest: { what: 'unknown parameters', request: post(token, { ...code, more: 'x'.repeat(15_000) }) },
    },
    {
      name: 'token: unknown code, DPoP',
      normal: post(token, code, proof()),
      largest: {
        what: 'RSA, 4096 bits, e = 2^32 - 1',
        request: post(token, code, proof(rsa_proof, { ...rsa_proof.jwk, e: '_____w' })),
      },
    },
    {
      name: 'token: wrong secret',
      normal: post(token, { grant_type: 'client_credentials' }, basic('service', 'x'.repeat(43))),
      largest: {
        what: 'secret',
        request: post(token, { grant_type: 'client_credentials' }, basic('service', 'x'.repeat(5000))),
      },
    },
    {
      name: 'token: forged assertion',
      normal: assertion('signer'),
      largest: { what: 'RSA, 8192 bits, e = 2^32 - 1', request: assertion('rsa-signer', rsa_nobody) },
    },
    {
      name: 'token: certificate of a stranger',
      normal: certified('certified', 1),
      largest: { what: '500 attributes, 20 keys', request: certified('certified-many', 500) },
    },
    { name: 'introspection', normal: post(PATHS.introspect, { token: 'x' }) },
    { name: 'revocation', normal: post(PATHS.revoke, { token: 'x' }) },
    { name: 'user information: unknown token', normal: get(userinfo, {}, bearer('a'.repeat(60))) },
    { name: 'user information: forged JWT', normal: get(userinfo, {}, bearer(jwt)) },
    { name: '`/api/resource`', normal: get(PATHS.demo_resource, {}, bearer('a'.repeat(60))) },
    { name: 'logout', normal: get(PATHS.end_session) },
    { name: 'logout: forged hint', normal: get(PATHS.end_session, { id_token_hint: hint }) },
    {
      name: 'registration',
      normal: register(APP),
      largest: { what: '20 keys', request: register({ ...APP, ...KEYS, jwks: { keys: manySigning() } }) },
    },
    {
      name: 'registration, refused',
      normal: register({ ...APP, client_name: 7 }),
      largest: {
        what: '20 keys off their curve',
        request: register({
          ...APP,
          jwks: {
            keys: Array(20).fill({
              kty: 'EC',
              crv: 'P-256',
              x: 'A'.repeat(43),
              y: 'A'.repeat(43),
              use: 'enc',
            }),
          },
          id_token_encrypted_response_alg: 'ECDH-ES',
          id_token_encrypted_response_enc: 'A256GCM',
        }),
      },
    },
  ]
}
