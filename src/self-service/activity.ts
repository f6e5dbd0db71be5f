import type { Origin } from '../core/audit-entries.ts'
import type { EventName, SecurityEvent } from '../core/events.ts'
import { newId } from '../core/token-string.ts'
import { PollingWorker } from '../core/worker.ts'
import { browserName } from '../sessions/browser-name.ts'
import type { NewEntry } from '../storage/bounded-lists.ts'
import type { Storage } from '../storage/storage.ts'

/** The events that people see of their account. */
export const ACTIVITIES = [
  'sign_in_succeeded',
  'sign_in_failed',
  'signed_out',
  'consent_given',
  'consent_withdrawn',
  'device_allowed',
  'ask_allowed',
  'ask_denied',
  'client_muted',
  'client_unmuted',
  'sessions_ended',
  'user_added',
  'user_joined',
  'user_signed_up',
  'user_changed',
  'user_disabled',
  'user_enabled',
  'user_ended',
  'user_revoked',
  'address_change_asked',
  'address_changed',
  'change_disowned',
  'password_changed',
  'password_reset',
  'reset_link_given',
  'passkey_added',
  'passkey_removed',
  'passkey_counter_reversed',
  'provider_linked',
  'provider_unlinked',
  'second_step_added',
  'second_step_removed',
  'second_step_limited',
  'recovery_codes_made',
  'recovery_code_used',
  'factors_reset',
  'rights_changed',
  'user_acted_as',
] as const satisfies readonly EventName[]
export type ActivityName = (typeof ACTIVITIES)[number]

/** Something that happened to an account, as its person sees it. */
export interface Activity {
  readonly event: ActivityName
  /** Milliseconds since 1970. */
  readonly at: number
  /** Somebody who operates the server did it. */
  readonly by_operator?: true
  readonly browser?: string
  readonly address?: string
  readonly client_id?: string
  /** Who invited, as the page of the invitation said it. */
  readonly inviter?: string
}

/** Where the person of an account did something. Where operators sit concerns nobody else. */
export function placeOf({ actor, address, user_agent }: Origin): Pick<Activity, 'browser' | 'address'> {
  if (actor !== undefined) return {}
  const browser = user_agent && browserName(user_agent)
  return { ...(browser && { browser }), ...(address && { address }) }
}

/** An entry of the activities of a user. */
const entryOf = (activity: Activity, kind: string | undefined): NewEntry => ({
  name: newId(),
  text: JSON.stringify(activity),
  kind,
})

/** Notes what an operator did where no server hears it: with the command on the host. @throws StorageUnavailable */
export async function noteByOperator(
  { storage, now }: ActivityContext,
  username: string,
  event: ActivityName,
): Promise<void> {
  const activity: Activity = { event, at: now(), by_operator: true }
  await storage.bounded.put({ activity_of: username }, [entryOf(activity, undefined)], BOUNDS)
}

/** What the writer works with. */
export interface ActivityContext {
  readonly storage: Pick<Storage, 'bounded'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How many a person sees. */
const SHOWN_ACTIVITIES = 20
const BOUNDS = {
  max: SHOWN_ACTIVITIES,
  // Failed sign-ins are a kind: who guesses, however long, pushes out nothing but guesses.
  of_kind: 5,
  ttl: 90 * 86_400_000,
}
/** How often what waits is written, in milliseconds. */
const EVERY = 500
/** Of how many users something waits at most: more is dropped, because nobody depends on it. */
const MAX_USERS = 1000
/** Of how many, if somebody else may have caused it. */
const MAX_USERS_OF_FAILURES = 500
/** Between two failed sign-ins that are kept, in milliseconds: who guesses does not push the rest out of the list. */
const FAILURES_APART = 900_000

/** Keeps for each user what happened lately. No request waits for it. */
export class ActivityWriter extends PollingWorker {
  readonly #context: ActivityContext
  readonly #waiting = new Map<string, NewEntry[]>()
  readonly #failures = new Map<string, number>()

  constructor(context: ActivityContext, every = EVERY) {
    super(
      () => this.#write(),
      () => every,
    )
    this.#context = context
  }

  note(event: SecurityEvent, origin: Origin): void {
    const { event: name } = event
    if (!isActivity(name) || !('username' in event) || typeof event.username !== 'string') return
    const { username } = event
    const at = this.#context.now()
    if (name === 'sign_in_failed' && !this.#countsFailure(username, at)) return
    const entries = this.#waiting.get(username) ?? []
    const max = name === 'sign_in_failed' ? MAX_USERS_OF_FAILURES : MAX_USERS
    if (entries.length === 0 && this.#waiting.size >= max) return
    const activity: Activity = {
      event: name,
      at,
      ...(origin.actor === undefined ? placeOf(origin) : { by_operator: true }),
      ...('client_id' in event && typeof event.client_id === 'string' && { client_id: event.client_id }),
      ...('inviter' in event && typeof event.inviter === 'string' && { inviter: event.inviter }),
    }
    const kind = name === 'sign_in_failed' ? name : undefined
    this.#waiting.set(username, [...entries, entryOf(activity, kind)].slice(-SHOWN_ACTIVITIES))
  }

  override async close(): Promise<void> {
    await super.close()
    await this.#write()
  }

  async #write(): Promise<void> {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    const notes = waiting.map(([username, entries]) =>
      this.#context.storage.bounded.put({ activity_of: username }, entries, BOUNDS),
    )
    // Storage logs why it is unavailable. What is lost is not told again: the log and the audit trail have it.
    await Promise.allSettled(notes)
  }

  #countsFailure(username: string, at: number): boolean {
    if (at - (this.#failures.get(username) ?? Number.NEGATIVE_INFINITY) < FAILURES_APART) return false
    if (this.#failures.size >= MAX_USERS) this.#failures.clear()
    this.#failures.set(username, at)
    return true
  }
}

/** Returns what happened lately to a user, the newest first. @throws StorageUnavailable */
export async function readActivities(
  { storage }: Pick<ActivityContext, 'storage'>,
  username: string,
): Promise<Activity[]> {
  return (await storage.bounded.read({ activity_of: username })).flatMap(({ text }) => {
    try {
      const activity = JSON.parse(text) as Activity
      return isActivity(activity.event) && Number.isSafeInteger(activity.at) ? [activity] : []
    } catch {
      return []
    }
  })
}

function isActivity(name: EventName): name is ActivityName {
  return (ACTIVITIES as readonly EventName[]).includes(name)
}
