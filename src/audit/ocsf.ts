import type { EventName } from '../core/events.ts'
import type { AuditEntry } from './entry.ts'

/** Classes of the Open Cybersecurity Schema Framework 1.3, category Identity & Access Management. */
const OCSF_CLASSES = {
  account_change: [3001, 'Account Change'],
  authentication: [3002, 'Authentication'],
  authorize_session: [3003, 'Authorize Session'],
  entity_management: [3004, 'Entity Management'],
  user_access: [3005, 'User Access Management'],
} as const

type Mapping = readonly [class_name: keyof typeof OCSF_CLASSES, activity: number, is_failure?: true]

const OTHER = 99
const CREATE: Mapping = ['entity_management', 1]
const UPDATE: Mapping = ['entity_management', 3]
const DELETE: Mapping = ['entity_management', 4]
const OTHER_ENTITY: Mapping = ['entity_management', OTHER]
const REFUSED_SIGN_IN: Mapping = ['authentication', 1, true]
const REFUSED: Mapping = ['authentication', OTHER, true]

/** The class and the activity of each event. */
const OCSF: Readonly<Record<EventName, Mapping>> = {
  sign_in_succeeded: ['authentication', 1],
  sign_in_failed: REFUSED_SIGN_IN,
  sign_in_limited: REFUSED_SIGN_IN,
  signed_out: ['authentication', 2],
  session_ended: ['authentication', 2],
  sessions_ended: ['authentication', 2],
  all_sessions_ended: ['authentication', 2],
  user_ended: ['authentication', 2],
  user_revoked: ['authentication', 2],
  signal_taken: ['authentication', OTHER],
  consent_given: ['authorize_session', 1],
  consent_refused: ['authorize_session', 1, true],
  device_allowed: ['authorize_session', 1],
  device_denied: ['authorize_session', 1, true],
  person_asked: ['authorize_session', OTHER],
  ask_dropped: REFUSED,
  ask_allowed: ['authorize_session', 1],
  ask_denied: ['authorize_session', 1, true],
  client_muted: ['authorize_session', OTHER],
  client_unmuted: ['authorize_session', OTHER],
  token_exchanged: ['authorize_session', OTHER],
  token_spent: ['authorize_session', OTHER],
  assertion_issued: ['authorize_session', OTHER],
  user_acted_as: ['authorize_session', OTHER],
  access_refused: ['authorize_session', 1, true],
  device_limited: REFUSED,
  pushing_limited: REFUSED,
  user_code_limited: REFUSED,
  client_auth_failed: REFUSED_SIGN_IN,
  client_auth_limited: REFUSED_SIGN_IN,
  short_secret_used: ['authentication', OTHER],
  assertion_replayed: REFUSED,
  proof_replayed: REFUSED,
  code_replayed: REFUSED,
  exchange_refused: REFUSED,
  refresh_token_reused: REFUSED,
  grant_ended: REFUSED,
  bearer_refused: REFUSED,
  token_revoked: DELETE,
  grants_ended: DELETE,
  acting_ended: DELETE,
  consent_withdrawn: DELETE,
  keys_rotated: UPDATE,
  client_added: CREATE,
  client_changed: UPDATE,
  client_secret_changed: UPDATE,
  client_disabled: UPDATE,
  client_enabled: UPDATE,
  client_removed: DELETE,
  resource_changed: UPDATE,
  resource_removed: DELETE,
  detail_type_changed: UPDATE,
  detail_type_removed: DELETE,
  issuer_trusted: UPDATE,
  issuer_removed: DELETE,
  application_changed: UPDATE,
  application_removed: DELETE,
  provider_changed: UPDATE,
  provider_removed: DELETE,
  client_invited: CREATE,
  invitation_removed: DELETE,
  preview_made: CREATE,
  client_registered: CREATE,
  registration_changed: UPDATE,
  registration_deleted: DELETE,
  registration_limited: ['entity_management', 1, true],
  lockout_lifted: ['account_change', OTHER],
  user_added: ['account_change', 1],
  user_joined: ['account_change', 1],
  user_signed_up: ['account_change', 1],
  address_change_asked: ['account_change', OTHER],
  address_changed: ['account_change', OTHER],
  change_disowned: ['account_change', OTHER],
  user_changed: ['account_change', OTHER],
  user_viewed: ['entity_management', 2],
  user_enabled: ['account_change', 2],
  user_disabled: ['account_change', 5],
  user_removed: ['account_change', 6],
  password_changed: ['account_change', 3],
  password_reset: ['account_change', 4],
  reset_link_given: ['account_change', OTHER],
  rights_changed: ['user_access', OTHER],
  passkey_added: ['account_change', 10],
  provider_answered: ['authentication', OTHER],
  provider_linked: ['account_change', 10],
  second_step_added: ['account_change', 10],
  recovery_codes_made: ['account_change', 10],
  passkey_removed: ['account_change', 11],
  provider_unlinked: ['account_change', 11],
  second_step_removed: ['account_change', 11],
  factors_reset: ['account_change', 11],
  passkey_counter_reversed: REFUSED_SIGN_IN,
  passkey_flag_changed: REFUSED_SIGN_IN,
  second_step_limited: REFUSED_SIGN_IN,
  recovery_code_used: ['authentication', OTHER],
  user_invited: CREATE,
  names_guessed: DELETE,
  user_invitation_removed: DELETE,
  mail_sent: OTHER_ENTITY,
  counters_full: ['entity_management', OTHER, true],
  mail_dropped: ['entity_management', OTHER, true],
  mails_limited: ['entity_management', OTHER, true],
  signal_stream_changed: UPDATE,
  signal_stream_paused: UPDATE,
  audit_trimmed: DELETE,
}

/** A row of the mapping: what of the framework the events are. */
export interface OcsfRow {
  readonly class_uid: number
  readonly class_name: string
  readonly activity_id: number
  readonly is_failure: boolean
  readonly events: readonly string[]
}

/** Returns the mapping by class and activity, for the documentation. */
export function ocsfRows(): OcsfRow[] {
  const rows = new Map<string, OcsfRow>()
  for (const [event, [name, activity_id, is_failure = false]] of Object.entries(OCSF)) {
    const [class_uid, class_name] = OCSF_CLASSES[name]
    const key = JSON.stringify([class_uid, activity_id, is_failure])
    const events = [...(rows.get(key)?.events ?? []), event]
    rows.set(key, { class_uid, class_name, activity_id, is_failure, events })
  }
  const order = ({ class_uid, activity_id, is_failure }: OcsfRow) =>
    class_uid * 1000 + activity_id * 2 + Number(is_failure)
  return [...rows.values()].sort((one, other) => order(one) - order(other))
}

/** Returns an entry as an event of the Open Cybersecurity Schema Framework. */
export function toOcsf({ id, at, event, actor, targets, context, changes, details }: AuditEntry): object {
  const [name, activity_id, is_failure] = OCSF[event as EventName]
  const [class_uid, class_name] = OCSF_CLASSES[name]
  const user = targets.find(({ kind }) => kind === 'user')
  return {
    category_uid: 3,
    category_name: 'Identity & Access Management',
    class_uid,
    class_name,
    activity_id,
    type_uid: class_uid * 100 + activity_id,
    severity_id: is_failure ? 2 : 1,
    status_id: is_failure ? 2 : 1,
    time: Date.parse(at),
    ...(typeof details?.times === 'number' && { count: details.times }),
    metadata: {
      version: '1.3.0',
      uid: id,
      event_code: event,
      product: { name: 'redmint', vendor_name: 'redmint' },
    },
    actor: actor.id === undefined ? {} : { user: { uid: actor.id } },
    ...(user !== undefined && { user: { uid: user.id } }),
    ...(context.address !== undefined && { src_endpoint: { ip: context.address } }),
    ...(context.browser !== undefined && { http_request: { user_agent: context.browser } }),
    unmapped: { via: actor.via, targets, changes, details, request_id: context.request_id },
  }
}
