import { SET_EVENT } from '../core/security-events.ts'
import type { SetStream } from './stream-record.ts'

/** The types that a receiver may ask for. */
export const OFFERED_EVENTS: readonly string[] = [
  SET_EVENT.session_revoked,
  SET_EVENT.credential_change,
  SET_EVENT.token_claims_change,
  SET_EVENT.assurance_level_change,
  SET_EVENT.account_disabled,
  SET_EVENT.account_enabled,
  SET_EVENT.account_purged,
  SET_EVENT.identifier_changed,
]

/** Returns the types of events that a stream has. */
export function deliveredEvents({
  events_requested,
}: Pick<SetStream, 'events_requested'>): readonly string[] {
  return events_requested === undefined
    ? OFFERED_EVENTS
    : OFFERED_EVENTS.filter((uri) => events_requested.includes(uri))
}
