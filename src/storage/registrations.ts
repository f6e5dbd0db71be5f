import type { AuditEntries } from '../core/audit-entries.ts'
import type { Hash } from '../core/record-hash.ts'
import type { KindName } from './records.ts'

/** The record of a client that registers itself. */
export interface NewClient {
  readonly kind: KindName
  /** An id that newClientId made. */
  readonly id: string
  readonly hash: Hash
  /** Lifetime in seconds. */
  readonly ttl: number
  /** What the audit trail says of it, in the same step. */
  readonly told?: AuditEntries | undefined
}

/** How many clients may register without an initial access token in a window of `window` milliseconds. */
export interface RegistrationLimits {
  readonly in_all: number
  readonly of_address: number
  readonly window: number
}

/** `ok`, or which limit is reached, and in how many milliseconds the window ends. */
export interface Registered {
  readonly outcome: 'ok' | 'address' | 'all'
  readonly ends_in: number
}

/** The part of the ids of initial access tokens that puts them into the slot of the clients that register themselves. */
export const INITIAL_ACCESS_TOKEN_TAG = '{clients}:'

/**
 * Registrations of clients by themselves. Each call that registers is one atomic step: a limit counts exactly the clients
 * that were written. Calls throw StorageUnavailable if the outcome is unknown.
 */
export interface Registrations {
  /** Returns a random client_id that begins with `prefix`. Its record can be written in the same step as the counters. */
  newClientId(prefix: string): string
  /**
   * Writes a client unless too many registered in the present window. The first one starts it. What is counted has
   * bounded room: at most one counter for each client that `limits.in_all` allows.
   * @param address the name of the counter of the sender's address, a short digest
   */
  registerOpenly(client: NewClient, address: string, limits: RegistrationLimits): Promise<Registered>
  /** Returns what registerOpenly would answer now. Nothing is written or counted. */
  mayRegisterOpenly(address: string, limits: RegistrationLimits): Promise<Registered>
  /** Forgets the registrations of an address in the present window; those in all stay counted. */
  clearRegistrations(address: string): Promise<void>
}
