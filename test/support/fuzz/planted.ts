// Readers with a bug behind several checks, to test the search.

interface Planted {
  name: string
  words: readonly string[]
  check(input: string): void
}

/** A reader with six checks in a row. */
const nested: Planted = {
  name: 'behind nested checks',
  words: [],
  check(input) {
    if (input[0] !== '{') return
    if (input[1] !== '[') return
    if (input[2] !== '"') return
    if (!input.endsWith('#')) return
    if (input[3] !== '%') return
    if (input[4] === '~') throw new Error(nested.name)
  },
}

/** A reader that knows words which the search does not get: it must find them in the code. */
const words: Planted = {
  name: 'behind words of the code',
  words: [],
  check(input) {
    if (!input.startsWith('userinfo')) return
    if (!input.endsWith('essential')) return
    if (input.includes('values')) throw new Error(words.name)
  },
}

export const PLANTED: readonly Planted[] = [nested, words]
