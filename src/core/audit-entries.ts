/** An entry of the audit trail: its text, and the signature of the text if entries are signed. */
export interface TrailText {
  readonly text: string
  readonly mac?: string
}

/** Entries about a change. A write takes them along, so that there is never one without the other. */
export interface AuditEntries {
  readonly entries: readonly TrailText[]
  /** The lifetime of the trail after its last entry, in seconds. */
  readonly ttl: number
}

/** A field that a change concerns. Values are those that operators may see, and say nothing of a person. */
export interface ChangedField {
  readonly field: string
  readonly from?: unknown
  readonly to?: unknown
}

/** What is known of a change besides its events. */
export interface About {
  /** The sub of the user whom the events name. */
  readonly sub?: string | undefined
  readonly changes?: readonly ChangedField[] | undefined
}

/** What acts: a person, somebody who operates the server, a client, or the server itself. */
export const ACTOR_KINDS = ['user', 'operator', 'client', 'system'] as const
export type ActorKind = (typeof ACTOR_KINDS)[number]

/**
 * By what it acts: a page, the account page, an endpoint of the protocol, the admin API, the console, the command, or
 * the server itself.
 */
export const CHANNELS = ['page', 'account', 'protocol', 'api', 'console', 'command', 'server'] as const
export type Channel = (typeof CHANNELS)[number]

/** Who causes an event. */
export interface EventActor {
  readonly kind: ActorKind
  /** The sub or the client_id; absent: nobody is known. */
  readonly id?: string | undefined
  readonly via: Channel
  /** The client by way of which a person acts. */
  readonly client_id?: string | undefined
}

/** What is known of the cause of events. */
export interface Origin {
  /** Absent: whoever the event is about. */
  readonly actor?: EventActor
  readonly channel?: Channel
  readonly address?: string
  readonly request_id?: string
  readonly trace_id?: string | undefined
  readonly user_agent?: string | undefined
}
