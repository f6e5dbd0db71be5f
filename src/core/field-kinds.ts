import { type CustomClaims, customClaimsProblem } from './custom-claims.ts'
import { instantIn } from './instant.ts'
import { isObject, parseObject } from './json.ts'
import type { FieldReader } from './record-hash.ts'

/** The text of a field, or the problem of a value, as text that completes "<field> …". */
export type FieldText = { readonly text: string } | { readonly problem: string }

/** What flags that are not basic are about. */
export type FlagGroup = 'sign_in' | 'tokens' | 'authentication' | 'answers' | 'pages'

/** A command-line flag that sets a field. */
export interface Flag {
  /** The name without leading dashes; absent: the field's name with dashes for underscores. */
  readonly name?: string
  /** The name of the flag's value in its help. */
  readonly value: string
  readonly help: string
  /** What it is about, for the help of commands with many flags; absent: it is one of the basic ones. */
  readonly group?: FlagGroup
  /** The help of the flag that removes the field; absent: there is no such flag. */
  readonly clear?: string
}

/** The options of a field in a table. */
export interface FieldOptions {
  /** Whether a record without this field is malformed. */
  readonly required?: true
  /** The value of an absent field. */
  readonly default?: unknown
  /** Whether the field is written even if it is empty or has its default. */
  readonly always?: true
  /** The flag that sets the field. */
  readonly flag?: Flag
  /** The argument, flag or command that sets the field, if it has no flag of its own. */
  readonly setBy?: string
  /** What `show` prints if the field is absent or has its default; absent: nothing. */
  readonly shown?: string
  /** What `show` prints if the field is empty and that differs from an absent field; absent: it means the same. */
  readonly empty?: string
  /** Returns what people read of its text, such as a time; absent: the text. */
  readonly reads?: (text: string) => string
  /** What people call the field: words, on pages and in the description of the admin API. */
  readonly label: string
  /** What people call its values, by the values; absent: they are words themselves. */
  readonly choice_labels?: Readonly<Record<string, string>>
  /** The description of the field in the documentation. */
  readonly docs: string
}

/** A field of a record whose values are of type T. */
export interface Field<T> extends FieldOptions {
  /**
   * `line`: one value; `words`: a list on one line; `uris` and `names`: a list that is set and shown one by one, of names
   * with white space, too.
   */
  readonly layout: 'line' | 'words' | 'uris' | 'names'
  /** What the value is in JSON; `object`: or a text that holds one. */
  readonly json: 'string' | 'boolean' | 'integer' | 'strings' | 'object'
  /** The allowed values, or entries of a list; absent: any that pass the check. */
  readonly choices?: readonly string[]
  /** Returns undefined if the field is absent or malformed; the reader collects the problems. */
  read(fields: FieldReader, name: string): T | undefined
  format(value: T): string
  /** Converts a JSON value to the field's text. It may leave checks of the text to `read`. */
  fromJson(given: unknown): FieldText
}

/** Returns the problem of a value, as text that completes "<field> …"; undefined if the value is valid. */
export type Check = (value: string) => string | undefined

interface TextOptions extends FieldOptions {
  readonly default?: string
  readonly check?: Check
}

interface ListOptions extends FieldOptions {
  readonly default?: readonly string[]
  /** Checks an entry. */
  readonly check: Check
  readonly choices?: readonly string[]
}

interface SecondsOptions extends FieldOptions {
  readonly default?: number
  readonly min?: number
  readonly max: number
}

type Entry<Options> = Options extends { readonly choices: readonly (infer Choice)[] } ? Choice : string

/** A string field. */
export function text<const Options extends TextOptions>(options: Options): Options & Field<string> {
  const { check } = options
  return {
    ...options,
    layout: 'line',
    json: 'string',
    read(fields, name) {
      const value = fields.optional(name)
      const problem = value === undefined ? undefined : check?.(value)
      if (problem !== undefined) fields.fail(name, problem)
      return value
    },
    format: (value) => value,
    fromJson: readString,
  }
}

/** A string field that holds JSON. Files that are JSON or YAML themselves may give the object. */
export function json<const Options extends TextOptions>(
  options: Options,
): Options & Field<string> & { readonly json: 'object' } {
  return {
    ...text(options),
    json: 'object',
    fromJson: (given) => (isObject(given) ? { text: JSON.stringify(given) } : readString(given)),
  }
}

/** A boolean field: `true` or `false`. */
export function boolean<const Options extends FieldOptions & { readonly default?: boolean }>(
  options: Options,
): Options & Field<boolean> {
  return {
    ...options,
    layout: 'line',
    json: 'boolean',
    choices: ['true', 'false'],
    read(fields, name) {
      const value = fields.oneOf(name, ['true', 'false'])
      return value === undefined ? undefined : value === 'true'
    },
    format: String,
    fromJson: (given) =>
      typeof given === 'boolean' || typeof given === 'string'
        ? { text: String(given) }
        : { problem: 'must be true or false' },
  }
}

/** A field with one of the given values. */
export function oneOf<
  const Choice extends string,
  const Options extends FieldOptions & { readonly default?: NoInfer<Choice> },
>(choices: readonly Choice[], options: Options): Options & Field<Choice> {
  return {
    ...options,
    layout: 'line',
    json: 'string',
    choices,
    read: (fields, name) => fields.oneOf(name, choices),
    format: (value) => value,
    fromJson: readString,
  }
}

/** A field with a whole number of seconds, at least `min` (default: 1) and at most `max`. */
export function seconds<const Options extends SecondsOptions>(options: Options): Options & Field<number> {
  const { min = 1, max } = options
  return {
    ...options,
    layout: 'line',
    json: 'integer',
    read: (fields, name) => fields.integer(name, { min, max, unit: 'seconds' }),
    format: String,
    fromJson: (given) =>
      typeof given === 'number' || typeof given === 'string'
        ? { text: String(given) }
        : { problem: 'must be a number of seconds' },
  }
}

/** A field with a time in milliseconds since 1970. */
export function milliseconds<const Options extends FieldOptions>(options: Options): Options & Field<number> {
  return {
    reads: instantIn,
    ...options,
    layout: 'line',
    json: 'integer',
    read: (fields, name) =>
      fields.integer(name, { min: 0, max: Number.MAX_SAFE_INTEGER, unit: 'milliseconds' }),
    format: String,
    fromJson: (given) =>
      typeof given === 'number' || typeof given === 'string'
        ? { text: String(given) }
        : { problem: 'must be a number of milliseconds' },
  }
}

/** A field with custom claims: a JSON object. */
export function claims<const Options extends FieldOptions>(options: Options): Options & Field<CustomClaims> {
  return {
    ...options,
    layout: 'line',
    json: 'object',
    read(fields, name) {
      const json = fields.optional(name)
      if (json === undefined) return undefined
      const value = parseObject(json)
      const problem = value === undefined ? 'must be a JSON object' : customClaimsProblem(value)
      if (problem === undefined) return value as CustomClaims
      fields.fail(name, problem)
      return undefined
    },
    format: (value) => (Object.keys(value).length === 0 ? '' : JSON.stringify(value)),
    fromJson: (given) => (isObject(given) ? { text: JSON.stringify(given) } : readString(given)),
  }
}

/** A field with a list of words. */
export function words<const Options extends ListOptions>(
  options: Options,
): Options & Field<readonly Entry<Options>[]> {
  return list('words', options)
}

/** A field with a list of URIs. */
export function uris<const Options extends ListOptions>(
  options: Options,
): Options & Field<readonly Entry<Options>[]> {
  return list('uris', options)
}

/**
 * A field with a list of names, separated by single spaces. White space and percent signs in a name are percent-encoded.
 * An empty field is an empty list, and differs from an absent one.
 */
export function names<const Options extends FieldOptions & { readonly empty: string }>(
  options: Options,
): Options & Field<readonly string[]> {
  return {
    ...options,
    layout: 'names',
    json: 'strings',
    read(fields, name) {
      if (!fields.has(name)) return undefined
      return fields.list(name, nameProblem).map((entry) => decodeName(entry) ?? entry)
    },
    format: (entries) => entries.map(encodeName).join(' '),
    fromJson: readNames,
  }
}

/** Returns a name as an entry of a list of names. */
export function encodeName(name: string): string {
  return name.replace(/[\s%]/gu, encodeURIComponent)
}

/** Returns the name of an entry; undefined if it is not percent-encoded. */
function decodeName(entry: string): string | undefined {
  try {
    return decodeURIComponent(entry)
  } catch {
    return undefined
  }
}

const nameProblem: Check = (entry) =>
  decodeName(entry) === undefined ? 'is not percent-encoded: write %25 for a percent sign' : undefined

function list<Options extends ListOptions>(
  layout: 'words' | 'uris',
  options: Options,
): Options & Field<readonly Entry<Options>[]> {
  return {
    ...options,
    layout,
    json: 'strings',
    // The check accepts only the choices, if there are any.
    read: (fields, name) =>
      fields.optional(name) === undefined
        ? undefined
        : (fields.list(name, options.check) as readonly string[] as readonly Entry<Options>[]),
    format: (entries) => entries.join(' '),
    fromJson: readList,
  }
}

function readString(given: unknown): FieldText {
  return typeof given === 'string' ? { text: given } : { problem: 'must be a string' }
}

function readList(given: unknown): FieldText {
  if (typeof given === 'string') return { text: given }
  if (!Array.isArray(given)) return { problem: 'must be an array of strings or a string' }
  // Entries are stored separated by spaces, so an entry must not contain one.
  return given.every((entry) => typeof entry === 'string' && /^\S+$/.test(entry))
    ? { text: given.join(' ') }
    : { problem: 'must be an array of strings that are not empty and have no white space' }
}

// The entries of an array are plain names; a string is the text of the field.
function readNames(given: unknown): FieldText {
  if (typeof given === 'string') return { text: given }
  return Array.isArray(given) && given.every((entry) => typeof entry === 'string' && entry !== '')
    ? { text: given.map(encodeName).join(' ') }
    : { problem: 'must be an array of names that are not empty, or a string' }
}
