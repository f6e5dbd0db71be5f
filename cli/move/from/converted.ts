import type { Hash } from '../../../src/core/record-hash.ts'
import type { FileLine } from '../../file-lines.ts'
import type { Notes } from './notes.ts'

/** A record of another system, as a file of `client import` or `user import` would have it. */
export interface Converted {
  readonly kind: 'client' | 'user'
  /** Where it stands in the file: "clients[3]", "line 7". */
  readonly place: string
  readonly id: string
  readonly members: Readonly<Record<string, unknown>>
  /** Of a user: an authenticator app, with its secret open. */
  readonly factors?: Hash
  readonly notes: Notes
}

/** A record that is not imported at all, and why. */
export interface LeftBehind {
  readonly place: string
  readonly name: string
  readonly left_behind: string
}

/** What a file of another system has: its records, and what is lost of the file as a whole. */
export type Conversion = AsyncIterable<Converted | LeftBehind | Notes>

/** A file of another system. */
export interface ForeignFile {
  /** Returns its JSON. @throws Refusal if it is none */
  json(): Promise<unknown>
  /** Returns its content. */
  text(): Promise<string>
  /** Yields its lines. */
  lines(): AsyncIterable<FileLine>
}

/** What a conversion has to know of the installation. */
export interface ConversionContext {
  /** The claim with the groups of users. */
  readonly groups_claim: string
  /** Milliseconds since 1970. */
  readonly now: number
}
