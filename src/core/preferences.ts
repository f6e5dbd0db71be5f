// In characters; those of browsers have less than 200.
const MAX_LENGTH = 256
// Limits the work that a list can cause.
const MAX_ENTRIES = 50
// RFC 9110 §12.4.2.
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** An entry of a header that lists preferences. */
interface Preference {
  /** A language range or media range, as it was written. */
  readonly range: string
  /** From 0, not acceptable, to 1. */
  readonly quality: number
}

/**
 * Returns what is read of a header that lists preferences, separated by commas, such as Accept: its whole entries in
 * the first 256 characters. A header does not have to be honoured (RFC 9110 §12.5), and comparing a long one is costly.
 */
export function firstPreferences(header: string | undefined): string | undefined {
  if (header === undefined || header.length <= MAX_LENGTH) return header
  return header.slice(0, Math.max(0, header.lastIndexOf(',', MAX_LENGTH)))
}

/** Returns the entries of such a header, in its order. One that is malformed, or has other parameters, is left out. */
export function readPreferences(header: string | undefined): Preference[] {
  const entries = firstPreferences(header)?.split(',', MAX_ENTRIES) ?? []
  return entries.flatMap((entry) => {
    const [range = '', quality = 'q=1', ...more] = entry.split(';').map((part) => part.trim())
    const [, value] = QUALITY.exec(quality.toLowerCase()) ?? []
    return value === undefined || more.length > 0 ? [] : [{ range, quality: Number(value) }]
  })
}

/**
 * Returns which of the offered media types the header Accept prefers (RFC 9110 §12.5.1): of those with the same quality
 * the one that it names most exactly, then the one that it names first. Without the header it is the first one offered;
 * undefined: none is acceptable.
 */
export function preferredMediaType<Type extends string>(
  header: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  // What most clients other than browsers send.
  if (header === undefined || header === '' || header === '*/*') return offered[0]
  const only = offered.find((type) => type === header)
  if (only !== undefined) return only
  const accepted = readPreferences(header)
  const [best] = offered
    .flatMap((type) => rate(type, accepted))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || a.vagueness - b.vagueness || a.place - b.place)
  return best?.type
}

// The most exact range that matches a type decides its quality.
function rate<Type extends string>(type: Type, accepted: readonly Preference[]) {
  const ranges = [type, `${type.split('/', 1)}/*`, '*/*']
  const matches = ranges.map((range) => accepted.findIndex((entry) => entry.range.toLowerCase() === range))
  const vagueness = matches.findIndex((place) => place >= 0)
  const place = matches[vagueness]
  if (place === undefined) return []
  return [{ type, vagueness, place, quality: accepted[place]?.quality ?? 0 }]
}
