import type { OAuthError } from '../errors.ts'
import type { Target } from './request.ts'

/** Where a code is sent to (RFC 6749 §4.1.2). */
export function codeLocation(target: Target, issuer: string, code: string): string {
  return location(target, issuer, { code })
}

/** Where an error is reported to (RFC 6749 §4.1.2.1). */
export function errorLocation(target: Target, issuer: string, error: OAuthError): string {
  return location(target, issuer, { error: error.code, error_description: error.description })
}

function location(target: Target, issuer: string, answer: Record<string, string>): string {
  const parameters = new URLSearchParams(answer)
  if (target.state !== undefined) parameters.set('state', target.state)
  // RFC 9207 §2.
  parameters.set('iss', issuer)
  // RFC 6749 §3.1.2: a query that the registered redirect_uri has is kept as it is.
  const { redirect_uri } = target
  const separator = !redirect_uri.includes('?') ? '?' : /[?&]$/.test(redirect_uri) ? '' : '&'
  return `${redirect_uri}${separator}${parameters}`
}
