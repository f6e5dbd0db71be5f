// A user of the load, and the server under it.
import type { TokenCheck } from './answers.ts'
import type { Browser } from './browser.ts'
import type { Connection } from './connection.ts'
import type { ProofKey } from './proof.ts'
import type { Settings } from './row.ts'
import type { SignedRequests } from './signed-requests.ts'
import type { Subject } from './subject.ts'

/** The endpoints that a load asks; discovery names them, with the suffix `_endpoint`. */
export const ENDPOINTS = [
  'token',
  'authorization',
  'pushed_authorization_request',
  'introspection',
  'revocation',
] as const
export type EndpointName = (typeof ENDPOINTS)[number]

/** A server under load. */
export interface Target {
  origin: URL
  discovery: URL
  endpoints: Record<EndpointName, URL>
  subject: Subject
  /** Whether a refresh yields an id_token; the floor has none. */
  signs_at_refresh: boolean
}

/** One user with a connection of its own. */
export interface User {
  number: number
  connection: Connection
  target: Target
  settings: Settings
  tokens: TokenCheck
  /** The browser in which this user is signed in; kept between bursts. */
  browser: Browser
  /** The key of its DPoP proofs. */
  proof_key: ProofKey
  /** Its requests that can be sent once; kept between bursts. */
  signed: SignedRequests
}
