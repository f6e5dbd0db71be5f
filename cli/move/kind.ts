import type { Hash } from '../../src/core/record-hash.ts'
import { UnreadableApp } from '../../src/factors/moved-factors.ts'
import type { CommandContext } from '../command-context.ts'

/** The kinds of records that move, in the order in which an export has them. */
export const KINDS = [
  'resource',
  'detail-type',
  'issuer',
  'application',
  'provider',
  'client',
  'invitation',
  'user-invitation',
  'user',
  'consent',
  'signing-key',
] as const
export type KindOfRecord = (typeof KINDS)[number]

/** What a record holds, in a form that does not depend on the installation: secrets that it seals are open. */
export interface Content {
  readonly fields: Hash
  /** Of a user: what there is besides a password. */
  readonly factors?: Hash
  /** Of a provider: the secret that it gave redmint. */
  readonly secret?: string
  /** Of a signing key: the private JWK as JSON. */
  readonly private_jwk?: string
}

/** How records of a kind are read, checked and written. */
export interface MovedKind {
  /** Yields the records, each once. @param left_out gets what cannot be moved, and why */
  all(context: CommandContext, left_out: LeftOut): AsyncIterable<{ id: string; content: Content }>
  /** Returns the record; undefined: there is none. @throws Error if it cannot be compared */
  read(context: CommandContext, id: string): Promise<Content | undefined>
  /** Returns what is wrong with a record by itself, each as a sentence part that follows the name of the record. */
  problems(id: string, content: Content): string[]
  /** Returns what stands against writing a record here, in the same form. */
  clashes(
    context: CommandContext,
    id: string,
    content: Content,
    stored: Content | undefined,
  ): Promise<string[]>
  /** Whether the record is over, so that there is nothing to write. */
  isOver?(context: CommandContext, id: string, content: Content): boolean
  /** Writes a new record. Returns false if there is one meanwhile. */
  create(context: CommandContext, id: string, content: Content): Promise<boolean>
  /** Puts the record in the place of one that is still as it was read. Returns false if it is not. */
  replace(context: CommandContext, id: string, content: Content, stored: Content): Promise<boolean>
}

/** Gets a record that is not exported, and why, as text that follows its name. */
export type LeftOut = (kind: KindOfRecord, id: string, why: string) => void

/** Returns the parts in which two contents differ: names of fields, and never their values. */
export function differingFields(one: Content, other: Content): string[] {
  const differing = (a: Hash = {}, b: Hash = {}) =>
    [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => a[name] !== b[name])
  return [
    ...differing(one.fields, other.fields),
    ...differing(one.factors, other.factors),
    ...(one.secret === other.secret ? [] : ['client_secret']),
  ]
}

/** Returns what makes `stored` to `wanted`. */
export function changeTo(wanted: Hash, stored: Hash): { set: Hash; unset: string[] } {
  const set = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => stored[name] !== value))
  return { set, unset: Object.keys(stored).filter((name) => !Object.hasOwn(wanted, name)) }
}

/**
 * Returns why a stored record cannot be read, as text that follows its name.
 * @throws the error itself, if it is not about one record
 */
export function recordProblem(error: unknown): string {
  if (error instanceof UnreadableApp) return error.message
  // What storage has and redmint never writes, such as a key of another type.
  if (error instanceof Error && error.constructor === Error) return `cannot be read: ${error.message}`
  throw error
}
