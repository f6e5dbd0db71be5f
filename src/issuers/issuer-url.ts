import { isHttpsUrl } from '../config/page-links.ts'

const MAX_LENGTH = 512

/**
 * Whether a string can be the `iss` of assertions: an https URL without query and fragment (OpenID Connect Discovery
 * §3). Issuers are compared as texts.
 */
export function isIssuerUrl(value: string): boolean {
  return value.length <= MAX_LENGTH && isHttpsUrl(value) && !/[?#\s]/.test(value)
}

/** Returns the problem of an issuer, as text that completes "<field> …"; undefined if there is none. */
export function issuerProblem(value: string): string | undefined {
  return isIssuerUrl(value) ? undefined : 'must be an https URL without user name, query and fragment'
}
