import type { Random } from '../proof/chaos/random.ts'

const MAX_LENGTH = 4096
const CHARACTERS = [
  ...'\0\t\n "#%&\'()*+,-./:;<=>?@[\\]^_`{|}~\x7f\x80\u00e9\u2028\ufeff\ufffd\u{1f600}09AZaz',
  // Node 24 cannot read a literal with this escape.
  String.fromCharCode(0xd800),
]

type Change = (input: string, random: Random, others: readonly string[], words: readonly string[]) => string

/** A place in an input; one in four is its end, where texts are put together. */
const at = (input: string, random: Random) =>
  random.next() < 0.25 ? input.length : Math.floor(random.next() * (input.length + 1))
/** A part of an input, mostly short. */
function span(input: string, random: Random): [start: number, end: number] {
  const start = at(input, random)
  return [start, Math.min(input.length, start + Math.floor(random.next() ** 3 * (input.length + 1)) + 1)]
}

/** One to three words in a row. */
function phrase(random: Random, words: readonly string[]): string {
  const length = 1 + Math.floor(random.next() * 3)
  return Array.from({ length }, () => random.pick(words)).join('')
}

const CHANGES: readonly Change[] = [
  (input, random) => replaced(input, span(input, random), ''),
  (input, random) => replaced(input, span(input, random), random.pick(CHARACTERS)),
  (input, random) => inserted(input, at(input, random), random.pick(CHARACTERS)),
  (input, random) => inserted(input, at(input, random), input.slice(...span(input, random))),
  (input, random, _, words) => inserted(input, at(input, random), phrase(random, words)),
  (input, random, _, words) => replaced(input, span(input, random), random.pick(words)),
  (input, random, others) => input.slice(0, at(input, random)) + tail(random.pick(others), random),
  (input, random) => {
    const [start, end] = span(input, random)
    const part = input.slice(start, end)
    return replaced(
      input,
      [start, end],
      part === part.toUpperCase() ? part.toLowerCase() : part.toUpperCase(),
    )
  },
  (input, random) => {
    const index = Math.min(at(input, random), Math.max(0, input.length - 1))
    const code = (input.charCodeAt(index) || 0) ^ (1 << Math.floor(random.next() * 7))
    return replaced(input, [index, index + 1], String.fromCharCode(code))
  },
]

/** Returns a changed input: one to five changes, in which parts of other inputs and words are used. */
export function mutate(
  input: string,
  random: Random,
  others: readonly string[],
  words: readonly string[],
): string {
  const times = 1 + Math.floor(random.next() ** 2 * 5)
  let result = input
  for (let done = 0; done < times; done++) result = random.pick(CHANGES)(result, random, others, words)
  return result.slice(0, MAX_LENGTH)
}

const tail = (input: string, random: Random) => input.slice(at(input, random))
const inserted = (input: string, index: number, text: string) =>
  input.slice(0, index) + text + input.slice(index)
const replaced = (input: string, [start, end]: [number, number], text: string) =>
  input.slice(0, start) + text + input.slice(end)
