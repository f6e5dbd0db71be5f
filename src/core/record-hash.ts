import { quoteUri } from './uri.ts'

/** A stored record: strings by field name. Fields without a value are left out. */
export type Hash = Readonly<Record<string, string>>

const OWN = { configurable: true, enumerable: true, writable: true }

/** Sets a field of a record, which may have any name. */
export function setField(hash: Record<string, string>, field: string, value: string): void {
  // An assignment to this name sets no field.
  if (field === '__proto__') Object.defineProperty(hash, field, { ...OWN, value })
  else hash[field] = value
}

/** The problem of one field of a record, as text that completes "<field> …", or "<field>" if it begins with a colon. */
export interface FieldProblem {
  field: string
  problem: string
  /** The entry of a list that the problem is about. */
  entry?: ListEntry
}

/** An entry of a list, and its place from 0 on. */
export interface ListEntry {
  readonly index: number
  readonly text: string
}

/** Formats a problem for operators: `redirect_uris: "/cb" is not absolute`, `is_public is missing`. */
export function describeProblem({ field, problem, entry }: FieldProblem): string {
  if (entry !== undefined) return `${field}: ${quoteUri(entry.text)} ${problem}`
  return problem.startsWith(':') ? `${field}${problem}` : `${field} ${problem}`
}

/**
 * Formats a problem of a record that a stranger wrote: `redirect_uris[0] is not absolute`. It has no text of theirs,
 * because it is shown to users and logged as a sentence of ours.
 */
export function describeUnquoted({ field, problem, entry }: FieldProblem): string {
  return describeProblem({ field: entry === undefined ? field : `${field}[${entry.index}]`, problem })
}

/** A parsed record, or its problems. */
export type Parsed<T> = { ok: true; record: T } | { ok: false; problems: FieldProblem[] }

/** The limits of a number, both included, and its unit. */
export interface IntegerRange {
  readonly min: number
  readonly max: number
  readonly unit: string
}

const BOOLEANS = ['true', 'false'] as const

/** Reads fields of a hash one by one, and collects their problems. */
export class FieldReader {
  readonly problems: FieldProblem[] = []
  readonly #hash: Hash

  constructor(hash: Hash) {
    this.#hash = hash
  }

  /** Adds a problem. */
  fail(field: string, problem: string, entry?: ListEntry): void {
    this.problems.push({ field, problem, ...(entry && { entry }) })
  }

  /** Whether there is a field, an empty one included. */
  has(field: string): boolean {
    return Object.hasOwn(this.#hash, field)
  }

  /** Returns the value of a field; undefined if it is absent or empty. */
  optional(field: string): string | undefined {
    const value: unknown = this.#hash[field]
    // A name that objects inherit, such as `constructor`, has a value that is not a text.
    return typeof value === 'string' && value !== '' ? value : undefined
  }

  /** Returns the given fields that have a value. */
  given<T extends string>(names: readonly T[]): Partial<Record<T, string>> {
    const found: Partial<Record<T, string>> = {}
    for (const name of names) {
      const value = this.optional(name)
      if (value !== undefined) found[name] = value
    }
    return found
  }

  /** Returns the value of a field; an absent or empty one is a problem, and reads as empty. */
  required(field: string): string {
    const value = this.optional(field)
    if (value === undefined) this.fail(field, 'is missing')
    return value ?? ''
  }

  /** Returns the value of a field; undefined if it is absent, or is a problem because it is not one of `values`. */
  oneOf<T extends string>(field: string, values: readonly T[]): T | undefined {
    const value = this.optional(field)
    if (value === undefined) return undefined
    const known = values.find((candidate) => candidate === value)
    if (known === undefined) this.fail(field, `must be ${values.map((name) => `"${name}"`).join(' or ')}`)
    return known
  }

  /** Reads `true` or `false`. Returns `byDefault` if the field is absent; without a default that is a problem. */
  boolean(field: string, byDefault?: boolean): boolean {
    if (byDefault === undefined) this.required(field)
    const value = this.oneOf(field, BOOLEANS)
    return value === undefined ? (byDefault ?? false) : value === 'true'
  }

  /** Reads a whole number in decimal digits without leading zeros. Returns undefined if it is absent or malformed. */
  integer(field: string, { min, max, unit }: IntegerRange): number | undefined {
    const value = this.optional(field)
    if (value === undefined) return undefined
    const number = /^(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    this.fail(field, `must be a whole number of ${unit} from ${min} to ${max}`)
    return undefined
  }

  /** Reads a list separated by single spaces; `check` returns the problem of an entry. */
  list(field: string, check: (entry: string) => string | undefined): string[] {
    const value = this.optional(field)
    if (value === undefined) return []
    const entries = value.split(' ')
    if (entries.some((entry) => entry === '' || /\s/.test(entry))) {
      this.fail(field, 'must be separated by single spaces, with none before or after')
      return []
    }
    for (const [index, text] of entries.entries()) {
      const problem = check(text)
      if (problem !== undefined) this.fail(field, problem, { index, text })
    }
    return entries
  }
}
