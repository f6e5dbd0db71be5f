/** A piece of a pattern: a text, or a wildcard, which may stand for `:` and `/` as well if it is wide. */
type Piece = { readonly text: string } | { readonly wide: boolean }

/** A parsed pattern. */
export type Pattern = readonly Piece[]

const MAX_LENGTH = 512
const MAX_WILDCARDS = 8
/** Longer values match no pattern, which bounds the work for one. */
const MAX_VALUE = 2048

/**
 * Parses a pattern for the value of a claim: `*` stands for any characters but `:` and `/`, `**` for any characters, and
 * the rest is percent-encoded. Returns its problem if it is malformed, as text that completes "<field> …".
 */
export function parsePattern(text: string): Pattern | string {
  if (text === '' || text.length > MAX_LENGTH) return `must have 1 to ${MAX_LENGTH} characters`
  const pieces: Piece[] = []
  for (const part of text.split(/(\*+)/)) {
    if (part === '') continue
    if (part.startsWith('*')) {
      if (part.length > 2) return 'has more than two asterisks in a row'
      pieces.push({ wide: part.length === 2 })
      continue
    }
    const decoded = decode(part)
    if (decoded === undefined) return 'is not valid percent-encoded UTF-8: write %25 for a percent sign'
    pieces.push({ text: decoded })
  }
  if (pieces.filter((piece) => 'wide' in piece).length > MAX_WILDCARDS) {
    return `has more than ${MAX_WILDCARDS} wildcards`
  }
  return pieces
}

/** Returns the problem of a pattern, as text that completes "<field> …"; undefined if it is well-formed. */
export function patternProblem(text: string): string | undefined {
  const parsed = parsePattern(text)
  return typeof parsed === 'string' ? parsed : undefined
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/**
 * Whether a value matches a pattern as a whole. The work is at most the product of their lengths: nothing is tried
 * twice.
 */
export function matchesPattern(pattern: Pattern, value: string): boolean {
  if (value.length > MAX_VALUE) return false
  // Where the pieces so far can end.
  let ends = new Set([0])
  for (const piece of pattern)
    ends = 'wide' in piece ? extend(ends, value, piece.wide) : skip(ends, value, piece.text)
  return ends.has(value.length)
}

function skip(starts: ReadonlySet<number>, value: string, text: string): Set<number> {
  const ends = new Set<number>()
  for (const at of starts) if (value.startsWith(text, at)) ends.add(at + text.length)
  return ends
}

function extend(starts: ReadonlySet<number>, value: string, wide: boolean): Set<number> {
  const ends = new Set<number>()
  let open = false
  for (let at = 0; at <= value.length; at++) {
    const is_stop = !wide && (value[at - 1] === ':' || value[at - 1] === '/')
    open = (open && !is_stop) || starts.has(at)
    if (open) ends.add(at)
  }
  return ends
}
