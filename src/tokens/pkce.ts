import { hash } from 'node:crypto'

// RFC 7636 §4.1: 43 to 128 unreserved characters.
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
// RFC 7636 §4.2: a SHA-256 digest in base64url; the last of its 43 characters encodes only four bits.
const S256_CHALLENGE = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/

/** Whether a code_verifier has the form of RFC 7636 §4.1. */
export function isCodeVerifier(value: string): boolean {
  return VERIFIER.test(value)
}

/** Whether a code_challenge can be the S256 challenge of any verifier (RFC 7636 §4.2). */
export function isS256Challenge(value: string): boolean {
  return S256_CHALLENGE.test(value)
}

/** Returns the S256 code_challenge of a code_verifier (RFC 7636 §4.2). */
export function s256Challenge(code_verifier: string): string {
  return hash('sha256', code_verifier, 'base64url')
}
