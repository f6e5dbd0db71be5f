const MAX_LENGTH = 1000
// What a text must not have: markup, and what changes the text around it or cannot be seen.
const MARKUP = /[<>&]/
const HIDDEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/**
 * Returns why a text cannot take the place of one that redmint has, as text that completes "<key>: …"; undefined if it can.
 * @param placeholders those of the original, such as `{client}`: each must be there, and no other
 */
export function textProblem(text: string, placeholders: readonly string[]): string | undefined {
  if (text.trim() !== text || text === '') return 'must be a text without space around it'
  if (text.length > MAX_LENGTH) return `must have at most ${MAX_LENGTH} characters`
  if (MARKUP.test(text)) return 'must be plain text, without <, > and &'
  if (HIDDEN.test(text)) return 'must have visible characters, in one line'
  const held = new Set(text.match(/\{[^}]*\}?/g))
  const wanted = new Set(placeholders)
  if (held.size === wanted.size && [...held].every((name) => wanted.has(name))) return undefined
  return wanted.size === 0
    ? 'must have no placeholder'
    : `must have the placeholders ${[...wanted].join(', ')}`
}
