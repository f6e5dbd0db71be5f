// Of a name that is brought into its form, in UTF-16 code units: twice the characters that a username may have.
const MAX_LENGTH = 510
// U+200B, U+00AD, U+FE0F, U+3164 and their like: what fonts draw as nothing, or as part of the character beside it.
const IGNORABLE = /\p{Default_Ignorable_Code_Point}+/gu
const ASCII_NAME = /^[\x21-\x7E]*$/
// What people type between the letters of a code: also a minus sign, and U+30FC, which Japanese keyboards have for "-".
const BETWEEN = /[\s\p{Pd}\p{Cf}\p{Default_Ignorable_Code_Point}._\u2043\u2212\u30FC]+/gu
const DIGIT = /\p{Nd}/u
const FOREIGN_DIGITS = /[^\P{Nd}0-9]/gu
// "i̇" is what "İ" becomes in lower case: its own dot is drawn once, unless another mark stands above it (Soft_Dotted,
// TUS §7.1).
const SECOND_DOT = /(\p{Soft_Dotted})\u0307(?!\p{M})/gu
const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
const BIDI_CONTROL = /\p{Bidi_Control}/u
// Control characters, what nobody sees, and what changes the direction of the text around it.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]+/gu
// U+2800 is an empty pattern of Braille, U+1D159 a note without a head. A mark needs a letter that it stands on.
const INVISIBLE = /[\s\p{C}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]+/gu

/**
 * Returns a name as it is stored, in the case in which it was typed: without what nobody sees, with one spelling of each
 * character and one width (NFKC), and without spaces around it. This is RFC 8265 §3.3 (UsernameCasePreserved), but
 * compatibility characters are mapped and not refused, because keyboards make them. A text that is too long is no name,
 * and stays as it is.
 */
export function nameForm(typed: string): string {
  if (ASCII_NAME.test(typed) || typed.length > MAX_LENGTH) return typed
  return typed.replace(IGNORABLE, '').normalize('NFKC').trim()
}

/**
 * Returns a name as it is compared: two names that people take for the same one have the same form here, in any case
 * (RFC 8265 §3.2, UsernameCaseMapped). Letters of different scripts that look alike stay different, and so does the "ı"
 * without a dot, which no directory and no mail server takes for "i"; "İ" is one of its capital letters.
 */
export function foldName(typed: string): string {
  if (ASCII_NAME.test(typed)) return typed.toLowerCase()
  // Some letters have a lower case, or a form, only after the other step. A sigma at the end of a word is the same letter.
  return nameForm(nameForm(typed).toLowerCase()).replaceAll('ς', 'σ').replace(SECOND_DOT, '$1')
}

/**
 * Returns a typed code in upper case and of one width, with the digits 0 to 9 for those of any script, without dashes,
 * dots, spaces and direction marks of any kind.
 */
export function codeForm(typed: string): string {
  return typed.normalize('NFKC').replace(BETWEEN, '').replace(FOREIGN_DIGITS, digitOf).toUpperCase()
}

// Unicode has the decimal digits of a script in a row, from zero on (TUS §4.6).
function digitOf(digit: string): string {
  const value = digit.codePointAt(0) ?? 0
  let zero = value
  while (DIGIT.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String((value - zero) % 10)
}

/**
 * Returns why a text cannot be a name that people see and trust, as text that completes "<field> …"; undefined if it can:
 * something of it is visible, and nothing of it changes the text around it.
 */
export function visibleNameProblem(name: string): string | undefined {
  if (CONTROL.test(name)) return 'must not have control characters'
  if (BIDI_CONTROL.test(name)) return 'must not have characters that change the direction of text'
  return name.replace(INVISIBLE, '') === '' ? 'must have a visible character' : undefined
}

/** Returns a text that somebody else chose as a page shows it: without what nobody sees, cut after `max` characters. */
export function shownText(text: string, max: number): string {
  // The length is limited first, so that a long text costs no more than a short one.
  const characters = [
    ...text
      .slice(0, 8 * max)
      .replace(UNSEEN, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ]
  const is_cut = characters.length > max || text.length > 8 * max
  return is_cut ? `${characters.slice(0, max).join('').trimEnd()}…` : characters.join('')
}
