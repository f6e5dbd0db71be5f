import { readEmail } from '../core/email-address.ts'
import { lineEnds } from './record-form.ts'

/** So many people are added at once: a caller of operations has a budget for each minute. */
export const MAX_PEOPLE = 100
/** In UTF-16 code units. */
const MAX_LINE = 500
const MAX_NAME = 200

/** A line of a list of people. */
export interface ListedPerson {
  /** As an editor counts it, from 1. */
  readonly number: number
  /** As it was typed, cut. */
  readonly text: string
  readonly email: string
  readonly name: string
  /** Why nobody can be made of it; absent: nothing is wrong with its form. */
  readonly problem?: string
}

/** What a list of people says, or why it is none. */
type PeopleList =
  | { readonly ok: true; readonly lines: readonly ListedPerson[] }
  | { readonly ok: false; readonly problem: string }

const HEADS: Readonly<Record<string, 'email' | 'name'>> = {
  ...{ email: 'email', 'e-mail': 'email', mail: 'email', address: 'email', 'e-mail address': 'email' },
  ...{ name: 'name', 'full name': 'name', called: 'name' },
}

/**
 * Reads a list of people: one in each line, as `Ada Lind <ada@example.com>`, or as cells with a comma, semicolon or tab
 * between them, as spreadsheets copy and write them (RFC 4180). The first line may name the cells.
 */
export function readPeople(typed: string): PeopleList {
  const given = lineEnds(typed)
    .split('\n')
    .map((text, i) => ({ text: text.trim(), number: i + 1 }))
    .filter(({ text }) => text !== '')
  const [first] = given
  const heads = first === undefined ? undefined : headsOf(first.text)
  const rest = heads === undefined ? given : given.slice(1)
  if (rest.length === 0) return { ok: false, problem: 'There is nobody in the list.' }
  if (rest.length > MAX_PEOPLE)
    return {
      ok: false,
      problem: `The list has ${String(rest.length)} people: at most ${String(MAX_PEOPLE)} are added at once.`,
    }
  const seen = new Set<string>()
  const lines = rest.map(({ text, number }): ListedPerson => {
    const line = { number, text: text.slice(0, MAX_NAME), ...personIn(text, heads) }
    const problem = problemOf(line, text)
    const key = line.email.toLowerCase()
    if (problem === undefined && seen.has(key))
      return { ...line, problem: 'This address is in the list before.' }
    seen.add(key)
    return problem === undefined ? line : { ...line, problem }
  })
  return { ok: true, lines }
}

function problemOf({ email, name }: Pick<ListedPerson, 'email' | 'name'>, text: string): string | undefined {
  if (text.length > MAX_LINE) return 'The line is too long.'
  if (email === '') return 'It has no e-mail address.'
  if (readEmail(email) === undefined) return 'That is no e-mail address.'
  return name.length > MAX_NAME ? 'The name is too long.' : undefined
}

/** Returns what each cell is, if a line names them. */
function headsOf(text: string): readonly ('email' | 'name' | undefined)[] | undefined {
  const heads = cellsOf(text).map((cell) => {
    const word = cell.toLowerCase()
    return Object.hasOwn(HEADS, word) ? HEADS[word] : undefined
  })
  return heads.includes('email') ? heads : undefined
}

function personIn(
  text: string,
  heads: readonly ('email' | 'name' | undefined)[] | undefined,
): { readonly email: string; readonly name: string } {
  const [, called, inside] = /^([^<>]*)<([^<>]+)>[,;]?$/.exec(text) ?? []
  if (inside !== undefined) return { email: inside.trim(), name: unquoted(called ?? '') }
  const cells = cellsOf(text)
  if (heads !== undefined) {
    const cellOf = (head: 'email' | 'name') => cells[heads.indexOf(head)] ?? ''
    return { email: cellOf('email'), name: heads.includes('name') ? cellOf('name') : '' }
  }
  const email = cells.find((cell) => cell.includes('@')) ?? ''
  const name = cells.find((cell) => cell !== '' && !cell.includes('@')) ?? ''
  return { email, name }
}

const unquoted = (text: string) =>
  text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replaceAll('""', '"')
    .trim()

/** Returns the cells of a line; a quoted one may have separators in it. */
function cellsOf(text: string): string[] {
  const separator = ['\t', ';', ','].find((one) => text.includes(one)) ?? ','
  const cells: string[] = []
  let cell = ''
  let is_quoted = false
  for (const character of text.slice(0, MAX_LINE)) {
    if (character === '"') is_quoted = !is_quoted
    if (character === separator && !is_quoted) {
      cells.push(unquoted(cell))
      cell = ''
    } else cell += character
  }
  return [...cells, unquoted(cell)]
}
