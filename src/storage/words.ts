import type { Hash } from '../core/record-hash.ts'
import { textOfWords } from '../core/words.ts'
import type { KindName } from './records.ts'

/** What the records of a kind are found by, word by word. */
export interface Words {
  /** The fields with the words; a change of none of them changes no words. */
  readonly fields: readonly string[]
  /** Returns the texts with the words, the most telling one first. */
  texts(id: string, hash: Hash): readonly string[]
}

/** Returns what records are found by that may have a name in a field: that, and their ids. */
export function namedWords(field?: string): Words {
  if (field === undefined) return { fields: [], texts: (id) => [id] }
  return { fields: [field], texts: (id, hash) => [hash[field] ?? '', id] }
}

const CONTROL = /\p{Cc}/u

/** What is looked for in a kind. */
export interface FindRequest {
  /** Where the part before ended: its `next`; absent or empty: at the beginning. */
  readonly after?: string | undefined
  /** How many records at most, 1 or more. */
  readonly limit: number
}

/** A kind with at most so many records is looked through whole, so that words are found by any part of them. */
export const SMALL_KIND = 4096
/** How many entries one search looks at besides, at most: with a million records some milliseconds of Redis. */
export const MAX_LOOKED_AT = 1500

/** Returns the text that a record is found by, a space before each word; empty: it is not found by words. */
export function textOf({ words }: KindName, id: string, hash: Hash): string {
  // Entries end with the id.
  return words === undefined || CONTROL.test(id) ? '' : textOfWords(words.texts(id, hash))
}

/**
 * Returns the entries of a record in the order of what is found: those by its first word (1) come before those by another
 * one (2). Each begins with its word, and says behind \x01 what came before that, and behind \0 the id.
 */
export function entriesOf(text: string, id: string): string[] {
  return [...text.matchAll(/ /g)].map(({ index }) =>
    index === 0 ? `1${text}\0${id}` : `2${text.slice(index)}\x01${text.slice(0, index)}\0${id}`,
  )
}

/** Whether a text has words that begin with all of these. */
export function hasWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(` ${word}`))
}

/** Whether a text has a word somewhere; one or two letters are in nearly every text. */
function hasPart(text: string, word: string): boolean {
  return text.includes(Buffer.byteLength(word) < 3 ? ` ${word}` : word)
}

/** Whether a text has words that begin with those of a reading, or, of a small kind, has them somewhere. */
export function isFound(text: string, readings: readonly (readonly string[])[], is_small: boolean): boolean {
  return readings.some(
    (words) => hasWords(text, words) || (is_small && words.every((word) => hasPart(text, word))),
  )
}
