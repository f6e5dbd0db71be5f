import type { Hash } from '../core/record-hash.ts'

/** What an access token says, in either format. */
export interface AccessToken {
  readonly jti: string
  readonly client_id: string
  /** The user; empty where the client acts for itself. */
  readonly subject: string
  readonly scope: string
  readonly expires_at: Date
  /** The record of its grant, where storage was asked for it and has one. */
  readonly grant?: Hash
}

/** Something that was found valid, or why it is not accepted; the reason is for the log. */
export type Validation<T> = { valid: true; token: T } | { valid: false; reason: string }
