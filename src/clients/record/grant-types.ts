import type { Hash } from '../../core/record-hash.ts'

/** The device_code grant (RFC 8628), which begins at an endpoint of its own. */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'
/** What a client asks a person who need not be there (OpenID Connect CIBA Core §10.1): it has an endpoint. */
export const CIBA = 'urn:openid:params:grant-type:ciba'
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** Token exchange (RFC 8693): what a client presents are tokens that others got. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** What a grant type means for the records of clients. src/grants/ has the grants themselves. */
interface GrantTypeRow {
  /** Whose tokens a client gets by it: those of users, its own, or no others than by other grants. */
  readonly tokens_of: readonly ('user' | 'client')[]
  /** Whether users sign in for it; only then there are refresh tokens. */
  readonly signs_in?: true
  /** Whether users come back to a redirect URI. */
  readonly redirects?: true
  /** Whether public clients cannot use it. */
  readonly confidential?: true
}

/** The grant types that redmint supports. */
export const GRANT_TYPES = {
  authorization_code: { tokens_of: ['user'], signs_in: true, redirects: true },
  // RFC 6749 §4.4: "MUST only be used by confidential clients".
  client_credentials: { tokens_of: ['client'], confidential: true },
  refresh_token: { tokens_of: [] },
  [DEVICE_CODE]: { tokens_of: ['user'], signs_in: true },
  [CIBA]: { tokens_of: ['user'], signs_in: true, confidential: true },
  [JWT_BEARER]: { tokens_of: ['user', 'client'], confidential: true },
  [TOKEN_EXCHANGE]: { tokens_of: ['user'], confidential: true },
} as const satisfies Readonly<Record<string, GrantTypeRow>>

export type GrantType = keyof typeof GRANT_TYPES

const ROWS: Readonly<Record<GrantType, GrantTypeRow>> = GRANT_TYPES
export const GRANT_TYPE_NAMES = Object.keys(GRANT_TYPES) as GrantType[]

/** Whether public clients cannot use a grant type. */
export const isConfidential = (name: GrantType) => ROWS[name].confidential === true

/** Returns those grant types in a list that public clients cannot use. */
export const confidentialGrants = (names: readonly string[]) => known(names, (row) => row.confidential)

/** Returns those grant types in a list for which users sign in. */
export const signInGrants = (names: readonly string[]) => known(names, ({ signs_in }) => signs_in)

/** Returns those grant types in a list by which users come back to a redirect URI. */
export const redirectGrants = (names: readonly string[]) => known(names, ({ redirects }) => redirects)

/** Returns those grant types in a list that an application in a browser has: by a redirect URI, and refresh. */
export const browserGrants = (names: readonly string[]) =>
  known(names, ({ redirects, tokens_of }) => redirects === true || tokens_of.length === 0)

/** Returns those grant types in a list that give tokens of users, or of the client itself. */
export const grantsOf = (owner: 'user' | 'client', names: readonly string[]) =>
  known(names, ({ tokens_of }) => tokens_of.includes(owner))

function known(names: readonly string[], has: (row: GrantTypeRow) => boolean | undefined): GrantType[] {
  return GRANT_TYPE_NAMES.filter((name) => names.includes(name) && has(ROWS[name]))
}

/** Returns the grant type of a new client without any; undefined for a public one without a redirect URI. */
export function defaultGrantType({
  redirect_uris,
  assertion_issuer,
  is_public,
}: Hash): GrantType | undefined {
  if (redirect_uris !== undefined) return 'authorization_code'
  if (assertion_issuer !== undefined) return JWT_BEARER
  return is_public === 'true' ? undefined : 'client_credentials'
}

/** What `defaultGrantType` does, for the help of the command. */
export const DEFAULT_GRANT_TYPE = `\`authorization_code\` if a redirect URI is given, \`${JWT_BEARER}\` with \`--assertion-issuer\`, otherwise \`client_credentials\``
