/** So many words of a record are kept at most, so many bytes of each, and so many of all: what strangers type is bounded. */
const MAX_WORDS = 12
export const MAX_WORD_BYTES = 32
export const MAX_TEXT_BYTES = 160
/** So many words of what is looked for count; the others are ignored. */
const MAX_ASKED = 6
/** So many UTF-16 code units of a text are looked at. */
const MAX_LENGTH = 512

const ASCII = /^[\x20-\x7E]*$/
// Letters that have no decomposition (NFKD) but are typed without their strokes.
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ŧ: 't' },
  ...{ æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
}
const FOLDED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu')
// Scripts that are written without spaces: each character is a word.
const SINGLE = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}'
const WORD = new RegExp(`[${SINGLE}]|(?:(?![${SINGLE}])[\\p{L}\\p{N}])+`, 'gu')

/** Returns the words of a text, without case and diacritical marks (NFKD), each of at most MAX_WORD_BYTES. */
export function wordsIn(text: string): string[] {
  const start = text.slice(0, MAX_LENGTH)
  if (ASCII.test(start))
    return (start.toLowerCase().match(/[a-z0-9]+/g) ?? []).map((word) => word.slice(0, MAX_WORD_BYTES))
  return (folded(start).match(WORD) ?? []).map(cut)
}

/** Returns the text that a record is found by: a space before each of its different words. Empty: it has none. */
export function textOfWords(texts: readonly string[]): string {
  const words: string[] = []
  let bytes = 0
  for (const word of texts.flatMap(wordsWithHosts)) {
    const more = 1 + Buffer.byteLength(word)
    // Who looks for this word finds the longer one.
    if (words.some((one) => one.startsWith(word)) || bytes + more > MAX_TEXT_BYTES) continue
    words.push(word)
    bytes += more
    if (words.length === MAX_WORDS) break
  }
  return words.map((word) => ` ${word}`).join('')
}

/**
 * Returns how what was typed may be read, each as words that a record must have, by their beginnings; the likelier reading
 * is the first one. The end of `example.com` is two words, or that of an address. Empty: there is no word in it.
 */
export function readingsOf(typed: string): string[][] {
  const chunks = typed.slice(0, MAX_LENGTH).split(/\s+/)
  const first = distinct(chunks.flatMap(wordsWithHosts))
  const second = distinct(
    chunks.flatMap((chunk) => (chunk.includes('@') ? wordsIn(chunk) : wordsWithHosts(`@${chunk}`))),
  )
  if (first.length === 0) return []
  return first.join(' ') === second.join(' ') ? [first] : [first, second]
}

/** Returns the words of a text. The last two labels of an address are one: nobody looks for a `com`. */
function wordsWithHosts(text: string): string[] {
  const at = text.lastIndexOf('@')
  if (at < 0) return wordsIn(text)
  const labels = text
    .slice(at + 1)
    .split('.')
    .map((label) => wordsIn(label).join('-'))
    .filter((label) => label !== '')
  const end = labels.splice(-2).join('.')
  return [...wordsIn(text.slice(0, at)), ...[...labels, ...(end === '' ? [] : [end])].map(cut)]
}

/** A part of a text, and whether it is what was looked for. */
export interface TextPart {
  readonly text: string
  readonly is_found: boolean
}

/** Returns a text in parts; those are marked that words of what was typed found, at the beginning of a word first. */
export function partsFound(text: string, typed: string): TextPart[] {
  const asked = readingsOf(typed)
    .flat()
    .flatMap((word) => wordsIn(word))
  const parts: TextPart[] = []
  let at = 0
  for (const { 0: word, index } of text.slice(0, MAX_LENGTH).matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    const [from, to] = rangeIn(word, asked)
    if (from === to) continue
    if (index + from > at) parts.push({ text: text.slice(at, index + from), is_found: false })
    at = index + to
    parts.push({ text: text.slice(index + from, at), is_found: true })
  }
  if (at < text.length) parts.push({ text: text.slice(at), is_found: false })
  return parts
}

/** Where in a word the longest of what is asked for is: at its beginning, or else inside; an empty range: nowhere. */
function rangeIn(word: string, asked: readonly string[]): readonly [from: number, to: number] {
  const characters = [...word.matchAll(/.\p{M}*/gsu)].map(({ index }) => index)
  const foldedTo = (end: number) => wordsIn(word.slice(0, end)).join('')
  const whole = foldedTo(word.length)
  const found = asked
    .map((one) => ({ one, at: whole.indexOf(one) }))
    .filter(({ one, at }) => at === 0 || (at > 0 && one.length > 2))
    .sort((a, b) => Math.sign(a.at) - Math.sign(b.at) || b.one.length - a.one.length)[0]
  if (found === undefined) return [0, 0]
  const ends = [...characters, word.length]
  const from = ends.findLast((end) => foldedTo(end).length <= found.at) ?? 0
  const to = ends.find((end) => foldedTo(end).length >= found.at + found.one.length) ?? word.length
  return [from, to]
}

const distinct = (words: readonly string[]) => [...new Set(words)].slice(0, MAX_ASKED)

function folded(text: string): string {
  const upper = text.normalize('NFKD').toUpperCase()
  const bare = upper
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
  return bare.replace(FOLDED, (letter) => LETTERS[letter] ?? letter)
}

function cut(word: string): string {
  let bytes = 0
  let kept = ''
  for (const character of word) {
    bytes += Buffer.byteLength(character)
    if (bytes > MAX_WORD_BYTES) break
    kept += character
  }
  return kept
}
