import { DOCUMENT_RESULTS, type DocumentResult } from '../clients/documents/metadata-documents.ts'
import { GRANT_TYPE_NAMES } from '../clients/record/grant-types.ts'
import { ACCESS_TOKEN_FORMATS } from '../config/environment.ts'
import type { Endpoint } from '../core/endpoints.ts'
import { EVENTS, type EventName } from '../core/events.ts'
import type { Reason } from '../core/reasons.ts'
import { type Tally, tallyOf } from '../core/tally.ts'
import type { IssuedTokens } from '../grants/grant-handler.ts'
import { SIGN_IN_RESULTS, type SignInTally } from '../interaction/sign-in.ts'
import { FAILURE_GROUPS, type FailureGroup } from '../storage/counters.ts'

/** What a service has done since it started, for the metrics. Only closed sets name what is counted. */
export interface ServiceCounts {
  readonly events: Tally<EventName>
  /** Refused requests by endpoint and reason: those that there were, because most pairs never happen. */
  readonly refusals: Map<Endpoint, Map<Reason, number>>
  readonly sign_ins: SignInTally
  readonly tokens: IssuedTokens
  /** Entries of the audit trail that are lost. */
  readonly audit_lost: Tally<'trail' | 'webhook'>
  /** Messages to the webhook of the audit trail, by what came of them. */
  readonly audit_posts: Tally<'delivered' | 'failed'>
  /** Mails that somebody asked for by a form and that are not made, by the reason. */
  readonly mails_dropped: Tally<'sender' | 'full'>
  /** The metadata documents of clients that were asked for, by result. */
  readonly documents: Tally<DocumentResult>
  /** Names for which there was no counter. */
  readonly counters_full: Tally<FailureGroup>
  /** Explanations of refusals that could not be kept. */
  explanations_lost: number
}

/** Returns the counts of a service that has done nothing yet. */
export function newCounts(): ServiceCounts {
  const tokens = GRANT_TYPE_NAMES.map((grant_type) => [grant_type, tallyOf(ACCESS_TOKEN_FORMATS)])
  return {
    events: tallyOf(Object.keys(EVENTS) as EventName[]),
    refusals: new Map(),
    sign_ins: tallyOf(SIGN_IN_RESULTS),
    documents: tallyOf(DOCUMENT_RESULTS),
    mails_dropped: tallyOf(['sender', 'full']),
    audit_lost: tallyOf(['trail', 'webhook']),
    audit_posts: tallyOf(['delivered', 'failed']),
    counters_full: tallyOf(Object.keys(FAILURE_GROUPS) as FailureGroup[]),
    tokens: Object.fromEntries(tokens) as IssuedTokens,
    explanations_lost: 0,
  }
}

/** Counts a refused request. */
export function countRefusal(
  { refusals }: Pick<ServiceCounts, 'refusals'>,
  endpoint: Endpoint,
  reason: Reason,
): void {
  const reasons = refusals.get(endpoint) ?? new Map<Reason, number>()
  refusals.set(endpoint, reasons.set(reason, (reasons.get(reason) ?? 0) + 1))
}
