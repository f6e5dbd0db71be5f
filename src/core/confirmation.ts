import { isObject } from './json.ts'

/** What a token is bound to: the claim `cnf` (RFC 7800 §3.1). Absent members: not bound in this way. */
export interface KeyConfirmation {
  /** The SHA-256 thumbprint of the key of a DPoP proof (RFC 9449 §6.1). */
  readonly jkt?: string
  /** The SHA-256 thumbprint of a client certificate (RFC 8705 §3.1). */
  readonly 'x5t#S256'?: string
}

/** Returns what a token with these thumbprints is bound to; undefined: nothing. */
export function confirmationOf(
  jkt: string | undefined,
  certificate: string | undefined,
): KeyConfirmation | undefined {
  if (jkt === undefined && certificate === undefined) return undefined
  return { ...(jkt && { jkt }), ...(certificate && { 'x5t#S256': certificate }) }
}

/** How an access token is presented (RFC 6749 §7.1): with a DPoP proof of its key (RFC 9449 §5), or alone (RFC 8705 §3). */
export type TokenScheme = 'Bearer' | 'DPoP'

/** Returns the `token_type` of an access token that is bound to this. */
export function schemeOf({ jkt }: KeyConfirmation = {}): TokenScheme {
  return jkt === undefined ? 'Bearer' : 'DPoP'
}

/** The members of a confirmation, which are also the fields of a record that is bound. */
export const CONFIRMATION_FIELDS = ['jkt', 'x5t#S256'] as const satisfies readonly (keyof KeyConfirmation)[]

/**
 * Reads the claim `cnf` of a token: undefined if there is none, `unknown` if it has no member that redmint knows, so that
 * nobody takes the token for one that is not bound.
 */
export function readConfirmation(cnf: unknown): KeyConfirmation | 'unknown' | undefined {
  if (cnf === undefined) return undefined
  if (!isObject(cnf)) return 'unknown'
  const known = CONFIRMATION_FIELDS.flatMap((field) => {
    const value = Object.hasOwn(cnf, field) ? cnf[field] : undefined
    return typeof value === 'string' && value !== '' ? [[field, value] as const] : []
  })
  return known.length === Object.keys(cnf).length && known.length > 0 ? Object.fromEntries(known) : 'unknown'
}
