import type { AccessTokenFormat } from '../config/environment.ts'
import type { Endpoint } from '../core/endpoints.ts'
import type { Reason } from '../core/reasons.ts'
import type { StepRecord } from './step-record.ts'

/** What a client did, or what came of it. */
export interface TrailStep {
  readonly step: StepRecord['step'] | 'refused'
  readonly at: string
  /** What happened. */
  readonly sentence: string
  /** What the person granted, which steps of one connection share. */
  readonly grant?: string
  readonly username?: string
  /** The network of the sender. */
  readonly from?: string
  readonly format?: AccessTokenFormat
  /** The APIs that a token is for, separated by spaces. */
  readonly resource?: string
  readonly endpoint?: Endpoint
  /** The client that asked about the token. */
  readonly by?: string
  readonly reason?: Reason
  readonly fault?: string
  /** The refused request, by which it is explained. */
  readonly request?: string
  /** How it is known to be of the client; absent: the step names it. */
  readonly tied_by?: 'network'
}

/** Who is to act. `unseen`: either the client or an API, of which nothing is seen here. */
export const ACTING = ['client', 'api', 'person', 'operator', 'third_party', 'unseen', 'nobody'] as const
export type SideToAct = (typeof ACTING)[number]

/** What the last step means. */
export type VerdictName =
  | 'none'
  | 'registered'
  | 'asked'
  | 'authorized'
  | 'token_opaque'
  | 'token_jwt'
  | 'token_unheard'
  | 'api'
  | 'own'
  | 'api_refused'
  | 'refused'
  | 'waits'
