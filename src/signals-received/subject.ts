import { isObject } from '../core/json.ts'
import { isText } from '../issuers/assertion-claims.ts'

/** Whom somebody else means (RFC 9493 §3). */
export type NamedSubject =
  | { readonly format: 'iss_sub'; readonly iss: string; readonly sub: string }
  | { readonly format: 'email'; readonly email: string }
  | { readonly format: 'opaque'; readonly id: string }

/** Returns a subject identifier; undefined if it is malformed, or of a format that says nothing here. */
export function readSubject(value: unknown): NamedSubject | undefined {
  if (!isObject(value)) return undefined
  const { format, iss, sub, email, id } = value
  switch (format) {
    case 'iss_sub':
      return isText(iss) && isText(sub) ? { format, iss, sub } : undefined
    case 'email':
      return isText(email) ? { format, email } : undefined
    case 'opaque':
      return isText(id) ? { format, id } : undefined
    default:
      return undefined
  }
}
