import { randomText } from '../../../src/core/token-string.ts'
import type { JwtParts, Signer } from './forge.ts'

/** What is wrong with a JWT on purpose. */
export interface JwtFault {
  /** What must refuse it, as a sentence of the documentation. */
  readonly says: string
  /** Whose fault it can be; absent: of access tokens and id_tokens. */
  readonly only?: 'id_token'
  /** Absent: the key of the server. */
  readonly signer?: Signer
  /** @param now seconds since 1970 */
  change?(jwt: JwtParts, now: number): void
}

const HOUR = 3600
const OTHER_API = 'https://other-api.example.com'
const OTHER_ISSUER = 'https://other-issuer.example.com'
const OTHER_CLIENT = 'another-client'

/** The faults of JWTs, by name. */
export const JWT_FAULTS = {
  wrong_aud: {
    says: 'for another API, or as an id_token for another client',
    change: ({ claims }) => Object.assign(claims, { aud: OTHER_API }),
  },
  wrong_iss: {
    says: 'of another issuer',
    change: ({ claims }) => Object.assign(claims, { iss: OTHER_ISSUER }),
  },
  wrong_typ: {
    says: 'a JWT of another type: an access token with the type of an id_token, and the other way round',
    change: ({ header }) => Object.assign(header, { typ: header.typ === 'at+jwt' ? 'JWT' : 'at+jwt' }),
  },
  alg_none: {
    says: 'not signed at all: `alg` is `none`',
    signer: 'nobody',
    change: ({ header }) => Object.assign(header, { alg: 'none' }),
  },
  hs256_public_key: {
    says: 'signed with HS256, and the public key of the server as the secret',
    signer: 'public_key',
    change: ({ header }) => Object.assign(header, { alg: 'HS256' }),
  },
  wrong_signature: {
    says: 'signed by a key of somebody else, with the `kid` of the server',
    signer: 'stranger',
  },
  unknown_kid: {
    says: 'signed by a key of somebody else, with a `kid` that is not in the key set',
    signer: 'stranger',
    change: ({ header }) => Object.assign(header, { kid: `dev-unknown-${randomText(6)}` }),
  },
  expired: {
    says: 'expired an hour ago',
    change: ({ claims }, now) => Object.assign(claims, { iat: now - 2 * HOUR, exp: now - HOUR }),
  },
  not_yet_valid: {
    says: 'valid in an hour: `nbf`',
    change: ({ claims }, now) => Object.assign(claims, { nbf: now + HOUR, exp: now + 2 * HOUR }),
  },
  without_exp: {
    says: 'without an end',
    change: ({ claims }) => void Reflect.deleteProperty(claims, 'exp'),
  },
  wrong_nonce: {
    says: 'with another `nonce` than that of the request',
    only: 'id_token',
    change: ({ claims }) => Object.assign(claims, { nonce: randomText(16) }),
  },
  wrong_at_hash: {
    says: 'with the `at_hash` of another access token',
    only: 'id_token',
    change: ({ claims }) => Object.assign(claims, { at_hash: randomText(16) }),
  },
  wrong_azp: {
    says: 'for several clients, and issued to another one: `azp`',
    only: 'id_token',
    change: ({ claims }) => Object.assign(claims, { aud: [claims.aud, OTHER_CLIENT], azp: OTHER_CLIENT }),
  },
} as const satisfies Readonly<Record<string, JwtFault>>

export type JwtFaultName = keyof typeof JWT_FAULTS
export const JWT_FAULT_NAMES = Object.keys(JWT_FAULTS) as JwtFaultName[]

/** The other faults of tokens, which tokens of any form can have. */
export const STORED_FAULTS = {
  revoked: { says: 'revoked, with all tokens of the same sign-in' },
  other_key: { says: 'bound to a key that the sender does not have (`cnf.jkt`, RFC 9449)' },
} as const

export type TokenFaultName = JwtFaultName | keyof typeof STORED_FAULTS

/** All faults that a token can be made with. */
export const TOKEN_FAULTS: Readonly<Record<TokenFaultName, Pick<JwtFault, 'says' | 'only'>>> = {
  ...JWT_FAULTS,
  ...STORED_FAULTS,
}
export const TOKEN_FAULT_NAMES = Object.keys(TOKEN_FAULTS) as TokenFaultName[]

/** Whether a fault is one of a JWT. */
export const isJwtFault = (name: string): name is JwtFaultName => Object.hasOwn(JWT_FAULTS, name)
