import type { EventName } from '../core/events.ts'

/** Why an event is not written in the step of a change. */
const WHY = {
  nothing: 'nothing changes: it says so, or a request is refused',
  code: 'it is found out in the step of a token request. Each such request would have to bring an entry in vain, which takes 14 µs of CPU, 28 with `AUDIT_KEY`, and in a Redis Cluster a further command for its slot; the grant is ended whatever becomes of the entry',
  mail: 'the SMTP server has decided already, outside of Redis',
} as const
type Why = keyof typeof WHY

/** The events that are written soon after what they are about; all others in its step. */
export const APART: Readonly<Partial<Record<EventName, Why>>> = {
  sign_in_failed: 'nothing',
  sign_in_limited: 'nothing',
  consent_refused: 'nothing',
  device_limited: 'nothing',
  pushing_limited: 'nothing',
  user_code_limited: 'nothing',
  client_auth_failed: 'nothing',
  client_auth_limited: 'nothing',
  short_secret_used: 'nothing',
  assertion_replayed: 'nothing',
  proof_replayed: 'nothing',
  access_refused: 'nothing',
  bearer_refused: 'nothing',
  registration_limited: 'nothing',
  counters_full: 'nothing',
  mails_limited: 'nothing',
  mail_dropped: 'nothing',
  provider_answered: 'nothing',
  passkey_counter_reversed: 'nothing',
  user_viewed: 'nothing',
  code_replayed: 'code',
  refresh_token_reused: 'code',
  mail_sent: 'mail',
}

/** The events that are written apart, by the reason, for the documentation. */
export function apartRows(): readonly { readonly why: string; readonly events: readonly string[] }[] {
  return Object.entries(WHY).map(([name, why]) => ({
    why,
    events: Object.entries(APART).flatMap(([event, reason]) => (reason === name ? [event] : [])),
  }))
}
