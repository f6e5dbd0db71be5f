import { isHttpsUrl } from '../config/page-links.ts'

const MAX_LENGTH = 512

/**
 * Whether a string can be the `iss` of assertions: an https URL without query and fragment (OpenID Connect Discovery
 * §3). Issuers are compared as texts.
 */
export function isIssuerUrl(value: string): boolean {
  return value.length <= MAX_LENGTH && isHttpsUrl(value) && !/[?#\s]/.test(value)
}
