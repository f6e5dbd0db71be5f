// Characters that no shell interprets.
const PLAIN_WORD = /^[\w@%+=:,./-]+$/

/** A value in a command to paste: one word, of which a shell interprets nothing. */
export function shellWord(value: string): string {
  return PLAIN_WORD.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`
}
