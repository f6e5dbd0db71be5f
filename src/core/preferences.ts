import Negotiator from 'negotiator'

// In characters; those of browsers have less than 200.
const MAX_LENGTH = 256

/**
 * Returns which of the offered media types the header Accept prefers (RFC 9110 §12.5.1), the first one if it has no
 * preference; undefined: none is acceptable.
 */
export function preferredMediaType<Type extends string>(
  header: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  if (header === undefined) return offered[0]
  const preferred = new Negotiator({ headers: { accept: firstOf(header) } }).mediaType(offered)
  return offered.find((type) => type === preferred)
}

/** Whether the header Accept-Encoding prefers gzip to the text as it is (RFC 9110 §12.5.3). */
export function prefersGzip(header: string | undefined): boolean {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': firstOf(header) ?? 'identity' } })
  return negotiator.encoding(['gzip', 'identity']) === 'gzip'
}

/** Returns the language ranges that the header Accept-Language accepts (RFC 9110 §12.5.4), best first. */
export function acceptedLanguages(header: string | undefined): string[] {
  return new Negotiator({ headers: { 'accept-language': firstOf(header) } }).languages()
}

/**
 * Returns what is read of a header that lists preferences: its whole entries in the first 256 characters. A header does
 * not have to be honoured (RFC 9110 §12.5), and comparing a long one is costly. An empty one counts as absent.
 */
function firstOf(header: string | undefined): string | undefined {
  if (header === undefined || header === '') return undefined
  const end = header.length <= MAX_LENGTH ? header.length : Math.max(0, header.lastIndexOf(',', MAX_LENGTH))
  // negotiator does not read a parameter with spaces around it, which RFC 9110 §5.6.6 allows.
  return header.slice(0, end).replace(/[ \t]/g, '')
}
