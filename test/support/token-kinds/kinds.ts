// Every kind of token that redmint makes or reads, and how a new one is made.

import { decodeJwt } from 'jose'
import { createInitialAccessToken } from '../../../src/clients/registration/initial-access-token.ts'
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import { issSub, SET_EVENT } from '../../../src/core/security-events.ts'
import { newId } from '../../../src/core/token-string.ts'
import { signLogoutToken } from '../../../src/logout/logout-token.ts'
import { giveResetLink } from '../../../src/self-service/reset-password.ts'
import { signSet as signHeld } from '../../../src/signals/held-set.ts'
import { ASKED } from '../../../src/tokens/asked-record.ts'
import { DEVICE } from '../../../src/tokens/device-record.ts'
import { allowedFields, waitingIdOf } from '../../../src/tokens/waiting-code.ts'
import { makeProof } from '../dpop.ts'
import { exchangeAs, ORDERS } from '../exchange.ts'
import { askAs } from '../identity.ts'
import { requestUriOf } from '../pushing.ts'
import { APP } from '../registration.ts'
import { requestObject } from '../request-objects.ts'
import { basic, bearer, ISSUER } from '../service.ts'
import { signSet } from '../signals.ts'
import { assertionOf, claimsOf } from '../trusted-issuer.ts'
import { CI, type City, IDP } from './city.ts'
import type { PlaceName } from './places.ts'

interface Kind {
  /** Absent: of both formats. */
  readonly only?: AccessTokenFormat
  make(city: City): Promise<string>
  /** Where it counts; everywhere else it is refused. */
  readonly counts: readonly PlaceName[]
  /** Where it counts besides, if it is a JWT. */
  readonly as_jwt?: readonly PlaceName[]
}

const refreshed = async ({ token }: City, refresh_token: string) =>
  String((await token({ grant_type: 'refresh_token', refresh_token }, basic('agent'))).json.refresh_token)

const clientToken = async ({ token }: City, client_id: string) =>
  String((await token({ grant_type: 'client_credentials' }, basic(client_id))).json.access_token)

const derivedToken = async (city: City) => {
  const { access_token } = await city.tokensFor({ resource: ORDERS })
  return String((await exchangeAs(city, 'orders', access_token)).json.access_token)
}

const registrationOf = async (city: City) => {
  const invitation = await createInitialAccessToken({ storage: city.storage, now: Date.now() }, USES)
  const { json } = await city.request({
    method: 'POST',
    url: '/oauth2/register',
    headers: bearer(invitation),
    payload: APP,
  })
  return String(json.registration_access_token)
}

const USES = { uses: 3, ttl: 600 }
const jtiOf = (jwt: string) => String(decodeJwt(jwt).jti)

export const KINDS: Readonly<Record<string, Kind>> = {
  'an access token for an API that acts': {
    make: async ({ tokensFor }) => (await tokensFor({ resource: ORDERS })).access_token,
    counts: ['subject as access_token', 'introspection', 'revocation'],
    as_jwt: ['subject as jwt'],
  },
  'an access token for this server': {
    make: async ({ tokensFor }) => (await tokensFor()).access_token,
    counts: ['introspection', 'revocation', 'userinfo', 'api'],
  },
  'an access token of another client for this server': {
    make: async ({ tokensFor }) => (await tokensFor({ client_id: 'other' })).access_token,
    counts: ['introspection', 'userinfo', 'api'],
  },
  'a derived token': { make: derivedToken, counts: ['introspection'] },
  'the jti of an access token': {
    only: 'jwt',
    make: async ({ tokensFor }) => jtiOf((await tokensFor({ resource: ORDERS })).access_token),
    counts: [],
  },
  'the jti of a derived token': {
    only: 'jwt',
    make: async (city) => jtiOf(await derivedToken(city)),
    counts: [],
  },
  'a token of the client itself': {
    make: (city) => clientToken(city, 'orders'),
    counts: ['actor as access_token', 'introspection', 'api'],
  },
  'a token of another client itself': {
    make: (city) => clientToken(city, 'service'),
    counts: ['introspection', 'api'],
  },
  'a token of an operator': {
    make: ({ tokenOf }) => tokenOf('redmint:read'),
    counts: ['admin'],
  },
  'a refresh token': {
    make: async ({ tokensFor }) => (await tokensFor()).refresh_token,
    counts: ['refresh', 'revocation', 'identity as refresh_token'],
  },
  'a refresh token that was spent long ago': {
    async make(city) {
      const { refresh_token } = await city.tokensFor()
      await refreshed(city, await refreshed(city, refresh_token))
      return refresh_token
    },
    counts: ['revocation'],
  },
  'an id_token': {
    make: async ({ tokensFor }) => (await tokensFor()).id_token,
    counts: ['logout hint', 'identity as id_token'],
  },
  'an id_token of another client': {
    make: async ({ tokensFor }) => (await tokensFor({ client_id: 'other' })).id_token,
    counts: ['logout hint'],
  },
  'a logout token': {
    async make({ fastify, user }) {
      const sub = (await user())?.sub ?? ''
      return signLogoutToken(fastify.redmint, { client_id: 'agent' }, { sub, sid: 'a session' })
    },
    counts: [],
  },
  'a code': { make: ({ codeFor }) => codeFor(), counts: ['code'] },
  'a device code': {
    async make({ printer, storage }) {
      const code = String((await printer.ask()).json.device_code)
      const alice = { subject: 'sub-of-alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 }
      await storage.records.change(DEVICE, waitingIdOf(code) ?? '', { set: allowedFields(alice, 'openid') })
      return code
    },
    counts: ['device code'],
  },
  'an auth_req_id': {
    async make({ asker, storage }) {
      const code = await asker.id()
      const alice = { subject: 'sub-of-alice', username: 'alice', sid: 'a session', auth_time: 1_700_000_000 }
      await storage.records.change(ASKED, waitingIdOf(code) ?? '', { set: allowedFields(alice, 'openid') })
      return code
    },
    counts: ['auth_req_id'],
  },
  'a user code': {
    make: async ({ printer }) => String((await printer.ask()).json.user_code),
    counts: [],
  },
  'a DPoP proof': {
    make: async ({ dpop_key }) =>
      makeProof(dpop_key, {
        htm: 'POST',
        htu: `${ISSUER}/oauth2/token`,
        iat: Math.floor(Date.now() / 1000),
      }),
    counts: [],
  },
  'an assertion of a client': {
    make: async ({ key }) => assertionOf(key, claimsOf('keyed', 'keyed')),
    counts: ['client assertion'],
  },
  'an assertion of an issuer about the client': {
    make: async ({ key }) => assertionOf(key, claimsOf(CI, 'orders')),
    counts: ['actor as jwt', 'client assertion'],
  },
  'an assertion of an issuer about another client': {
    make: async ({ key }) => assertionOf(key, claimsOf(CI, 'gateway')),
    counts: [],
  },
  'an identity assertion of another server': {
    make: async ({ key }) =>
      assertionOf(key, claimsOf(IDP, '00u1', { client_id: 'reader', scope: 'api.read' }), {
        typ: 'oauth-id-jag+jwt',
      }),
    counts: ['assertion grant'],
  },
  'a security event token of an issuer': {
    make: async ({ key }) => {
      const sub_id = { format: 'iss_sub', iss: IDP, sub: '00u1' }
      const said = { sub_id, events: { [SET_EVENT.session_revoked]: {} } }
      return signSet(key, { ...claimsOf(IDP, ''), sub: undefined, exp: undefined, ...said })
    },
    counts: ['signals'],
  },
  'a security event token of this server (E1)': {
    async make({ fastify }) {
      const sub_id = issSub(ISSUER, 'sub-of-alice')
      const said = { event: SET_EVENT.session_revoked, claims: {}, sub_id }
      const held = { jti: newId(), iat: Math.floor(Date.now() / 1000), ...said }
      return signHeld(fastify.redmint, { client_id: 'agent' }, held)
    },
    counts: [],
  },
  'an identity assertion of this server': {
    async make(city) {
      const { id_token } = await city.tokensFor()
      return String((await askAs(city, 'agent', id_token)).json.access_token)
    },
    counts: [],
  },
  'a request object': {
    make: async ({ key }) => requestObject(key, { client_id: 'keyed', subject: undefined }),
    counts: ['request'],
  },
  'a request_uri': {
    make: (city) => {
      const client_assertion = assertionOf(city.key, claimsOf('keyed', 'keyed'))
      return requestUriOf(city, {
        client_id: 'keyed',
        scope: 'openid',
        subject: undefined,
        client_assertion,
        client_assertion_type: JWT_ASSERTION,
      })
    },
    counts: ['request_uri'],
  },
  'an initial access token': {
    make: ({ storage }) => createInitialAccessToken({ storage, now: Date.now() }, USES),
    counts: ['registering'],
  },
  'a registration access token': { make: registrationOf, counts: ['registration'] },
  'a signed answer about a token': {
    async make({ post, tokensFor }) {
      const { access_token } = await tokensFor()
      const accept = 'application/token-introspection+jwt'
      return (await post('/oauth2/introspect', { token: access_token }, { ...basic('gateway'), accept })).text
    },
    counts: [],
  },
  'a link to a new password': {
    make: async ({ redmint }) =>
      [...new URL((await giveResetLink(redmint, 'alice'))?.url ?? 'none:').searchParams.values()][0] ?? '',
    counts: [],
  },
  nonsense: { make: async () => 'nonsense', counts: [] },
}

const JWT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
