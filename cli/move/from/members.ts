import { isObject } from '../../../src/core/json.ts'
import type { Notes } from './notes.ts'

const NOTHING_LIKE_IT = 'redmint has nothing like it'

/**
 * The members of an object of another system. Each that is read is noted by who reads it; what nobody reads is lost, and
 * noted as such, so that nothing is left out in silence.
 */
export class Members {
  readonly #values: Map<string, unknown>
  readonly #notes: Notes
  readonly #path: string

  constructor(value: unknown, notes: Notes, path = '') {
    this.#values = new Map(isObject(value) ? Object.entries(value) : [])
    this.#notes = notes
    this.#path = path
  }

  /** Returns a member, which then counts as read. */
  take(name: string): unknown {
    const value = this.#values.get(name)
    this.#values.delete(name)
    return value
  }

  /** Returns a text that is not empty. One of another type is lost. */
  text(name: string): string | undefined {
    return this.#typed(name, (value) => typeof value === 'string')
  }

  /** Returns true or false, also if they are written as texts. */
  flag(name: string): boolean | undefined {
    const value = this.#typed<boolean | string>(
      name,
      (found) => typeof found === 'boolean' || found === 'true' || found === 'false',
    )
    return value === undefined ? undefined : String(value) === 'true'
  }

  /** Returns a whole number, also if it is written as text. */
  number(name: string): number | undefined {
    const value = this.#typed<number | string>(name, (found) => /^\d{1,15}$/.test(String(found)))
    return value === undefined ? undefined : Number(value)
  }

  /** Returns a list of texts. */
  texts(name: string): string[] {
    const isText = (entry: unknown) => typeof entry === 'string'
    return this.#typed(name, (value) => Array.isArray(value) && value.every(isText)) ?? []
  }

  /** Returns a list of anything. */
  entries(name: string): unknown[] {
    return this.#typed(name, Array.isArray) ?? []
  }

  /** Returns the members of a member. Finish them, too. */
  object(name: string): Members {
    const value = this.#typed(name, isObject)
    return new Members(value, this.#notes, `${this.#path}${name}.`)
  }

  /** The names of the members that nobody has read. */
  get names(): string[] {
    return [...this.#values.keys()]
  }

  /** Leaves out members that have no meaning outside of the other system. */
  ignore(...names: readonly string[]): void {
    for (const name of names) this.#values.delete(name)
  }

  /** Notes each of these members as lost, if it says something. */
  lose(why: string, ...names: readonly string[]): void {
    for (const name of names) if (saysSomething(this.take(name))) this.lost(name, why)
  }

  /** Notes all that nobody has read as lost. */
  finish(): void {
    this.lose(NOTHING_LIKE_IT, ...this.#values.keys())
  }

  /** Notes a member as kept, changed or lost. */
  kept(name: string): void {
    this.#notes.kept(this.#path + name)
  }
  changed(name: string, how: string): void {
    this.#notes.changed(this.#path + name, how)
  }
  lost(name: string, why: string): void {
    this.#notes.lost(this.#path + name, why)
  }

  #typed<T>(name: string, fits: (value: unknown) => boolean): T | undefined {
    const value = this.take(name)
    if (value === undefined || value === null || value === '') return undefined
    if (fits(value)) return value as T
    this.lost(name, 'it is not of the type that this system documents')
    return undefined
  }
}

/** Whether a value is more than a default: nothing, an empty one, and what is turned off. */
function saysSomething(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return false
  if (Array.isArray(value)) return value.length > 0
  return !isObject(value) || Object.keys(value).length > 0
}
