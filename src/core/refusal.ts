import type { Endpoint } from './endpoints.ts'
import type { ClientId } from './ids.ts'
import type { Facts, Reason } from './reasons.ts'

/** Why a request is refused, for operators. */
export interface RefusalFacts {
  readonly reason: Reason
  /** What the request had, and what it should have had. */
  readonly received?: Facts | undefined
  readonly expected?: Facts | undefined
  /** The client of the request, if it is known where the request is refused. */
  readonly client_id?: ClientId | undefined
  /** The sentence of its line in the log; absent: it has one already. */
  readonly says?: string
}

/** Tells of the refusal of a request: counts it, and keeps its explanation. */
export type OnRefusal = (refusal: RefusalFacts) => void

/** The refusal of a request. */
export interface RefusedRequest extends RefusalFacts {
  /** The id of the request. */
  readonly id: string
  /** The id of its trace; undefined: it is in none. */
  readonly trace_id?: string | undefined
  readonly endpoint: Endpoint
  /** The client_id that was sent; it may be that of no client. */
  readonly sent_client?: string | undefined
}
