import { CHANGING_NOTHING, type EventName } from '../core/events.ts'

/** Why an event is not written in the step of a change. */
const WHY = {
  nothing: 'nothing changes: it says so, or a request is refused',
  repeated:
    'a client does it to what is its own, as often as it likes: so such entries are [counted together](#what-is-counted-together). What operators do to tokens is written in its step',
  code: 'it is found out in the step of a token request. Each such request would have to bring an entry in vain, which takes 14 µs of CPU, 28 with `AUDIT_KEY`, and in a Redis Cluster a further command for its slot; the grant is ended whatever becomes of the entry',
  mail: 'the SMTP server has decided already, outside of Redis',
} as const
type Why = keyof typeof WHY

/** The events that are written soon after what they are about; all others in its step. */
export const APART: Readonly<Partial<Record<EventName, Why>>> = {
  ...Object.fromEntries(CHANGING_NOTHING.map((event) => [event, 'nothing' as const])),
  token_revoked: 'repeated',
  registration_changed: 'repeated',
  signal_stream_changed: 'repeated',
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
