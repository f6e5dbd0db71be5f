import { ENDPOINTS, type Endpoint } from '../core/endpoints.ts'
import type { ClientId } from '../core/ids.ts'
import { isObject, parseObject } from '../core/json.ts'
import { type Facts, REASONS, type Reason } from '../core/reasons.ts'
import type { RefusedRequest } from '../core/refusal.ts'
import { shownFacts } from '../core/shown-facts.ts'

/** A refused request as it is kept: what an explanation is made from, in any language. */
export interface RefusalRecord {
  /** The id of the request. */
  readonly id: string
  /** ISO 8601. */
  readonly at: string
  /** Absent: the request is in no trace. */
  readonly trace_id?: string
  readonly endpoint: Endpoint
  /** Absent: the request names no registered client. */
  readonly client_id?: string
  readonly reason: Reason
  readonly received?: Facts
  readonly expected?: Facts
}

/**
 * Returns the record of a refusal.
 * @param client its client, if it is one that is registered
 * @param at milliseconds since 1970
 */
export function refusalRecord(
  { id, trace_id, endpoint, reason, received, expected }: RefusedRequest,
  client: ClientId | undefined,
  at: number,
): RefusalRecord {
  // A name must not outlive its person here: facts have the sub, and readers the name of today.
  const { username: _, ...nameless } = received ?? {}
  const shown = received && shownFacts(nameless, expected)
  return {
    id,
    at: new Date(at).toISOString(),
    ...(trace_id && { trace_id }),
    endpoint,
    ...(client && { client_id: client }),
    reason,
    ...(shown && { received: shown }),
    ...(expected && { expected: shownFacts(expected) ?? {} }),
  }
}

/** What refusals are alike, without spaces: few of each are kept. */
export const kindOf = ({ reason, client_id }: Pick<RefusalRecord, 'reason' | 'client_id'>): string =>
  client_id === undefined ? reason : `${reason}:${encodeURIComponent(client_id)}`

/** Parses the text of a record; undefined if it is none, or one of a version that knew other reasons. */
export function parseRecord(text: string): RefusalRecord | undefined {
  const given = parseObject(text)
  return given && recordFrom(given)
}

/** Returns the record with these members; undefined if there is none. */
export function recordFrom(given: Readonly<Record<string, unknown>>): RefusalRecord | undefined {
  const { id, at, trace_id, client_id, received, expected } = given
  const reason = REASON_NAMES.find((name) => name === given.reason)
  const endpoint = ENDPOINTS.find((name) => name === given.endpoint) ?? 'other'
  if (typeof id !== 'string' || typeof at !== 'string' || reason === undefined) return undefined
  return {
    id,
    at,
    endpoint,
    reason,
    ...(typeof trace_id === 'string' && { trace_id }),
    ...(typeof client_id === 'string' && { client_id }),
    ...(isFacts(received) && { received }),
    ...(isFacts(expected) && { expected }),
  }
}

const REASON_NAMES = Object.keys(REASONS) as Reason[]

const isFact = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === 'string'))

const isFacts = (value: unknown): value is Facts => isObject(value) && Object.values(value).every(isFact)
