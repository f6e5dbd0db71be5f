/** What a password may have at most, in bytes of UTF-8. */
export const MAX_PASSWORD_BYTES = 1024

/**
 * A password as it is hashed, by the profile OpaqueString (RFC 8265 §4.2): spaces of every kind are the plain one, and
 * NFC makes one of the several ways in which keyboards spell `é`. Case, white space around it and compatibility
 * characters stay: NFKC would make different passwords the same.
 * @returns undefined for what is no password: nothing, too much, control characters, broken Unicode
 */
export function preparePassword(password: string): string | undefined {
  // Normalizing can make it longer, and takes its time: what is too long already does not get there.
  if (isTooLong(password) || !password.isWellFormed() || /\p{Cc}/u.test(password)) return undefined
  const prepared = password.replace(/\p{Zs}/gu, ' ').normalize('NFC')
  return prepared === '' || isTooLong(prepared) ? undefined : prepared
}

function isTooLong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES
}
