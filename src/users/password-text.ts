/** The greatest length of a password, in bytes of UTF-8. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * Prepares a password for hashing with the OpaqueString profile (RFC 8265 §4.2): every kind of space becomes U+0020, and
 * NFC unifies the encodings of `é`. Case, surrounding white space and compatibility characters stay, because NFKC would
 * make different passwords equal.
 * @returns undefined if the text is empty, too long, has control characters or is malformed Unicode
 */
export function preparePassword(password: string): string | undefined {
  // Check the length before and after normalizing, which takes time and can make the text longer.
  if (isTooLong(password) || !password.isWellFormed() || /\p{Cc}/u.test(password)) return undefined
  const prepared = password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
  return prepared === '' || isTooLong(prepared) ? undefined : prepared
}

function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES
}
