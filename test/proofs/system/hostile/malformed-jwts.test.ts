// One table of malformed JWTs at every endpoint that takes a JWT. Each is signed by the right key, with the right claims: it
// is refused for its form alone. A right one is accepted before and after.
import { createPrivateKey, randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import t, { type Test } from 'tap'
import { formatClient } from '../../../../src/clients/record/client-record.ts'
import { SET_EVENT } from '../../../../src/core/security-events.ts'
import { parseSigningKeys } from '../../../../src/keys/key-record.ts'
import { createVerifier } from '../../../../src/resource-server/verifier.ts'
import { MAX_JWT } from '../../../../src/tokens/jws.ts'
import { indexUser } from '../../../../src/users/sign-in-names.ts'
import { formatUser } from '../../../../src/users/user-record.ts'
import { DEVICE_GRANT } from '../../../support/device.ts'
import { makeDpopKey, sha256 } from '../../../support/dpop.ts'
import { dpopClient } from '../../../support/dpop-client.ts'
import { MALFORMED, type RightJwt, signedJwt, UNPROVEN } from '../../../support/malformed-jwts.ts'
import { PAR } from '../../../support/pushing.ts'
import { createClient, createUser } from '../../../support/records.ts'
import { objectClaims } from '../../../support/request-objects.ts'
import { makeKey, startAuthorizationServer } from '../../../support/resource-server/authorization-server.ts'
import {
  type Answer,
  authorizationRequest,
  basic,
  bearer,
  CLIENTS,
  codeRequest,
  ISSUER,
  type Service,
  startService,
} from '../../../support/service.ts'
import { pushTo } from '../../../support/signals.ts'
import {
  CLIENT_ASSERTION_TYPE,
  type Claims,
  claimsOf,
  issuerKey,
  JWT_BEARER,
  keySetOf,
  trust,
} from '../../../support/trusted-issuer.ts'

const [WORKLOADS, IDP] = ['https://workloads.example.com', 'https://idp.example.com']
const KEY = issuerKey('key')
const DPOP_KEY = makeDpopKey()
const RETURN = 'https://bank.example.com/bye'
const API = 'https://api.example.com'
const PATHS = ['/userinfo', '/api/resource'] as const
const { client_secret_hash: _, ...BARE } = CLIENTS.web

const BANK = {
  ...BARE,
  client_id: 'bank',
  grant_types: ['client_credentials', 'authorization_code', DEVICE_GRANT],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: keySetOf(KEY),
  post_logout_redirect_uris: [RETURN],
} as const
const JOB = {
  ...BARE,
  client_id: 'job',
  grant_types: [...BANK.grant_types, JWT_BEARER],
  assertion_issuer: WORKLOADS,
} as const
const AGENT = { ...CLIENTS.web, client_id: 'agent', grant_types: [JWT_BEARER] } as const

/** What takes a JWT. */
interface Door {
  /** A right JWT, new each time. */
  right(): RightJwt
  send(jwt: string): Promise<Pick<Answer, 'status'>>
  /** What is seen of a request whose JWT is accepted, and of one whose JWT is refused. */
  readonly accepted: object
  readonly refused: object
}

const iat = () => Math.floor(Date.now() / 1000)
const byKey = (claims: Claims, typ = 'JWT', max_length = 8192): RightJwt => ({
  header: { alg: KEY.alg, kid: KEY.kid, typ },
  claims,
  privateKey: KEY.privateKey,
  max_length,
})

async function start(t: Test): Promise<Service> {
  const service = await startService(t, {
    trusted_issuers: true,
    receive_signals: 'on',
    access_token_format: 'jwt',
  })
  const { storage } = service
  for (const client of [BANK, JOB, AGENT]) await createClient(storage, client.client_id, formatClient(client))
  await trust(storage, KEY, { issuer: WORKLOADS, uses: ['grant', 'client_authentication'] })
  await trust(storage, KEY, { issuer: IDP, profile: 'id-jag', signals: true })
  await createUser(
    storage,
    'ann',
    formatUser({ sub: 'sub-of-ann', linked_subjects: [`${IDP}#00u1`], claims: {} }),
  )
  await indexUser(storage, 'ann')
  return service
}

/** Asserts that a door opens for a right JWT only. */
async function besiege(t: Test, { right, send, accepted, refused }: Door): Promise<void> {
  t.match(await send(signedJwt(right())), accepted, 'a right one')
  for (const { name, of } of MALFORMED) {
    // Without a value a parameter is absent (RFC 6749 §3.1).
    const jwt = of(right())
    if (jwt === '') continue
    const answer = await send(jwt)
    // An endpoint may refuse a body of this length before it reads it.
    if (answer.status === 413) t.equal(name, 'a long one')
    else t.match(answer, refused, name)
  }
  for (const [name, of] of Object.entries(UNPROVEN)) t.match(await send(of(right())), refused, name)
  t.match(await send(signedJwt(right())), accepted, 'a right one, afterwards')
}

/** The endpoints at which a client authenticates: what else they need, and the status of their success. */
const AUTHENTICATING: readonly [path: string, form: Record<string, string>, status: number][] = [
  ['/oauth2/token', { grant_type: 'client_credentials' }, 200],
  ['/oauth2/introspect', { token: 'x' }, 200],
  ['/oauth2/revoke', { token: 'x' }, 200],
  ['/oauth2/device_authorization', {}, 200],
  [PAR, authorizationRequest({ subject: undefined, client_id: undefined }), 201],
]

t.test('the assertion of a client, by itself or by a trusted issuer', async (t) => {
  const service = await start(t)
  for (const [iss, client_id] of [
    ['bank', 'bank'],
    [WORKLOADS, 'job'],
  ] as const) {
    for (const [path, form, status] of AUTHENTICATING) {
      await t.test(`${path}, of ${iss}`, (t) =>
        besiege(t, {
          right: () => byKey(claimsOf(iss, client_id)),
          send: (client_assertion) =>
            service.post(path, {
              ...form,
              client_id,
              client_assertion_type: CLIENT_ASSERTION_TYPE,
              client_assertion,
            }),
          accepted: { status },
          refused: { status: 401, json: { error: 'invalid_client' } },
        }),
      )
    }
  }
})

t.test('the assertion of a grant', async (t) => {
  const service = await start(t)
  const given = { client_id: 'agent', scope: 'openid' }
  const kinds = {
    'about a workload': () => byKey(claimsOf(WORKLOADS, 'job')),
    'about a user': () => byKey(claimsOf(IDP, '00u1', given), 'oauth-id-jag+jwt'),
  }
  for (const [name, right] of Object.entries(kinds)) {
    const headers = name === 'about a user' ? basic('agent') : {}
    await t.test(name, (t) =>
      besiege(t, {
        right,
        send: (assertion) => service.token({ grant_type: JWT_BEARER, assertion }, headers),
        accepted: { status: 200 },
        refused: { status: 400, json: { error: 'invalid_grant' } },
      }),
    )
  }
})

t.test('a request object', async (t) => {
  const service = await start(t)
  const request = authorizationRequest({ client_id: 'bank' })
  const right = (asked: Claims) => () => byKey(objectClaims(asked), 'oauth-authz-req+jwt', 62_806)
  const outside = { client_id: 'bank', redirect_uri: String(request.redirect_uri) }
  await t.test('at the authorization endpoint', (t) =>
    besiege(t, {
      right: right(request),
      send: async (jwt) => {
        const { status, redirect, text } = await service.get(
          `/oauth2/authorize?${new URLSearchParams({ ...outside, request: jwt })}`,
        )
        return { status, seen: redirect.has('code') ? 'a code' : (redirect.get('error') ?? text) }
      },
      accepted: { status: 302, seen: 'a code' },
      refused: { seen: /invalid_request_object|request_not_supported/ },
    }),
  )
  const { subject: __, ...pushed } = request
  await t.test('at the endpoint of pushed requests', (t) =>
    besiege(t, {
      right: right(pushed),
      send: (jwt) =>
        service.post(PAR, {
          client_id: 'bank',
          client_assertion_type: CLIENT_ASSERTION_TYPE,
          client_assertion: signedJwt(byKey(claimsOf('bank', 'bank'))),
          request: jwt,
        }),
      accepted: { status: 201 },
      refused: { status: 400, json: { error: 'invalid_request_object' } },
    }),
  )
})

t.test('a security event token', async (t) => {
  const push = pushTo(await start(t))
  const sub_id = { format: 'iss_sub', iss: IDP, sub: '00u1' }
  const said = { sub: undefined, exp: undefined, sub_id, events: { [SET_EVENT.session_revoked]: {} } }
  await besiege(t, {
    right: () => byKey(claimsOf(IDP, '', said), 'secevent+jwt'),
    send: (token) => push('/signals', token),
    accepted: { status: 202 },
    refused: { status: 400, json: { err: /invalid_(request|key)/ } },
  })
})

t.test('a DPoP proof', async (t) => {
  const service = await start(t)
  const right =
    (htm: string, path: string, more: Claims = {}) =>
    (): RightJwt => ({
      header: { typ: 'dpop+jwt', alg: DPOP_KEY.alg, jwk: DPOP_KEY.jwk },
      claims: { jti: randomUUID(), htm, htu: ISSUER + path, iat: iat(), ...more },
      privateKey: DPOP_KEY.privateKey,
      max_length: 8192,
    })
  const refused = { status: 400, json: { error: 'invalid_dpop_proof' } }
  await t.test('at the token endpoint', (t) =>
    besiege(t, {
      right: right('POST', '/oauth2/token'),
      send: (dpop) => service.token({ grant_type: 'client_credentials' }, { ...basic('service'), dpop }),
      accepted: { status: 200, json: { token_type: 'DPoP' } },
      refused,
    }),
  )
  await t.test('at the endpoint of pushed requests', (t) =>
    besiege(t, {
      right: right('POST', PAR),
      send: (dpop) =>
        service.post(PAR, authorizationRequest({ client_id: 'web', subject: undefined }), {
          ...basic('web'),
          dpop,
        }),
      accepted: { status: 201 },
      refused,
    }),
  )
  const client = dpopClient(service, { key: DPOP_KEY })
  const { json } = await client.token(codeRequest(await service.code()))
  const access_token = String(json.access_token)
  for (const path of PATHS) {
    await t.test(`at ${path}`, (t) =>
      besiege(t, {
        right: right('GET', path, { ath: sha256(access_token) }),
        send: (dpop) => service.get(path, { authorization: `DPoP ${access_token}`, dpop }),
        accepted: { status: 200 },
        refused: { status: 401, headers: { 'www-authenticate': /error="invalid_dpop_proof"/ } },
      }),
    )
  }
})

/** Makes JWTs as the service does: by its own key. */
async function ownJwts({ storage }: Service) {
  const key = parseSigningKeys(await storage.signing_keys.read()).find(({ alg }) => alg === 'ES256')
  if (key === undefined) throw new Error('there is no ES256 key')
  const privateKey = createPrivateKey({ key: { ...key.private_jwk }, format: 'jwk' })
  return (typ: string, claims: Claims): RightJwt => ({
    header: { alg: key.alg, kid: key.kid, typ },
    claims: { iss: ISSUER, iat: iat(), exp: iat() + 60, ...claims },
    privateKey,
    max_length: MAX_JWT,
  })
}

t.test('an id_token as a hint', async (t) => {
  const service = await start(t)
  const sign = await ownJwts(service)
  await t.test('at the authorization endpoint', (t) =>
    besiege(t, {
      right: () => sign('JWT', { aud: 'app', sub: 'alice' }),
      send: (id_token_hint) => service.authorize({ id_token_hint }),
      accepted: { status: 302, redirect: /code=/ },
      refused: { status: 302, redirect: /error=invalid_request/ },
    }),
  )
  await t.test('at the logout', (t) =>
    besiege(t, {
      right: () => sign('JWT', { aud: 'bank', sub: 'alice' }),
      send: (id_token_hint) =>
        service.get(
          `/oauth2/logout?${new URLSearchParams({ id_token_hint, post_logout_redirect_uri: RETURN })}`,
        ),
      accepted: { status: 302, headers: { location: RETURN } },
      refused: { status: 200, headers: { location: undefined } },
    }),
  )
})

t.test('an access token', async (t) => {
  const service = await start(t)
  const sign = await ownJwts(service)
  const { json } = await service.token({ grant_type: 'client_credentials' }, basic('web'))
  const claims = { ...decodeJwt(String(json.access_token)) }
  const ofUser = { aud: ISSUER, sub: 'alice', client_id: 'app', scope: 'openid' }
  const { json: issued } = await service.token(codeRequest(await service.code()))
  const { jti } = decodeJwt(String(issued.access_token))
  for (const path of PATHS) {
    await t.test(`at ${path}`, (t) =>
      besiege(t, {
        right: () => sign('at+jwt', { ...ofUser, jti }),
        send: (token) => service.get(path, bearer(token)),
        accepted: { status: 200 },
        refused: { status: 401, headers: { 'www-authenticate': /error="invalid_token"/ } },
      }),
    )
  }
  const introspect = (token: string) => service.post('/oauth2/introspect', { token }, basic('web'))
  await t.test('at the introspection', (t) =>
    besiege(t, {
      right: () => sign('at+jwt', claims),
      send: introspect,
      accepted: { status: 200, json: { active: true } },
      refused: { status: 200, json: { active: false } },
    }),
  )
  await t.test('at the revocation', async (t) => {
    const right = () => sign('at+jwt', claims)
    const isActive = async () => (await introspect(signedJwt(right()))).json.active
    const revoke = (token: string) => service.post('/oauth2/revoke', { token }, basic('web'))
    for (const of of [...MALFORMED.map(({ of }) => of), ...Object.values(UNPROVEN)]) await revoke(of(right()))
    t.equal(await isActive(), true)
    await revoke(signedJwt(right()))
    t.equal(await isActive(), false)
  })
})

t.test('what an API gets: access tokens, and signed answers of introspection', async (t) => {
  const { issuer, state } = await startAuthorizationServer(t)
  const key = makeKey('own')
  state.keys = [key]
  const credentials = { client_id: 'api', client_secret: 'a secret', signed: true }
  const verify = createVerifier({ issuer, audience: [API], introspection: credentials, now: Date.now })
  const sign = (typ: string, claims: Claims): RightJwt => ({
    header: { alg: 'ES256', kid: key.kid, typ },
    claims: { iss: issuer, iat: iat(), exp: iat() + 60, ...claims },
    privateKey: key.privateKey,
    max_length: MAX_JWT,
  })
  const about = { aud: API, sub: 'alice', client_id: 'app', jti: 'j', scope: '' }
  t.match(await verify(signedJwt(sign('at+jwt', about))), { valid: true })
  const spoilt = [...MALFORMED.map(({ name, of }) => [name, of] as const), ...Object.entries(UNPROVEN)]
  const answer = (jwt: string) =>
    state.instead.set('/introspect', (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/token-introspection+jwt' }).end(jwt),
    )
  const signed = () =>
    sign('token-introspection+jwt', {
      aud: 'api',
      token_introspection: { active: true, exp: iat() + 60, ...about },
    })
  for (const [name, of] of spoilt) {
    // What is no JWT by its form is asked about: the answer says no.
    answer(signedJwt({ ...signed(), claims: { ...signed().claims, token_introspection: { active: false } } }))
    t.match(await verify(of(sign('at+jwt', about))), { valid: false }, name)
    answer(of(signed()))
    await t.rejects(verify('opaque'), { code: 'temporarily_unavailable' }, `an answer: ${name}`)
  }
  answer(signedJwt(signed()))
  t.match(await verify('opaque'), { valid: true })
})
