// In characters; those of browsers have less than 200.
const MAX_LENGTH = 256

/**
 * Returns what is read of a header that lists preferences, separated by commas, such as Accept: its whole entries in
 * the first 256 characters. A header does not have to be honoured (RFC 9110 §12.5), and comparing a long one is costly.
 */
export function firstPreferences(header: string | undefined): string | undefined {
  if (header === undefined || header.length <= MAX_LENGTH) return header
  return header.slice(0, Math.max(0, header.lastIndexOf(',', MAX_LENGTH)))
}
