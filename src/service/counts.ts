import { DOCUMENT_RESULTS, type DocumentResult } from '../clients/documents/metadata-documents.ts'
import { GRANT_TYPES } from '../clients/record/client-fields.ts'
import { ACCESS_TOKEN_FORMATS } from '../config/environment.ts'
import { ERROR_CODES, type ErrorCode } from '../core/error-codes.ts'
import { EVENTS, type EventName } from '../core/events.ts'
import { type Tally, tallyOf } from '../core/tally.ts'
import type { IssuedTokens } from '../grants/grant-handler.ts'
import { SIGN_IN_RESULTS, type SignInTally } from '../interaction/sign-in.ts'

/** What a service has done since it started, for the metrics. Only closed sets name what is counted. */
export interface Counts {
  readonly events: Tally<EventName>
  /** Errors that were answered, by their code. */
  readonly refusals: Tally<ErrorCode>
  readonly sign_ins: SignInTally
  readonly tokens: IssuedTokens
  /** The metadata documents of clients that were asked for, by result. */
  readonly documents: Tally<DocumentResult>
}

/** Returns the counts of a service that has done nothing yet. */
export function newCounts(): Counts {
  const tokens = GRANT_TYPES.map((grant_type) => [grant_type, tallyOf(ACCESS_TOKEN_FORMATS)])
  return {
    events: tallyOf(Object.keys(EVENTS) as EventName[]),
    refusals: tallyOf(ERROR_CODES),
    sign_ins: tallyOf(SIGN_IN_RESULTS),
    documents: tallyOf(DOCUMENT_RESULTS),
    tokens: Object.fromEntries(tokens) as IssuedTokens,
  }
}
