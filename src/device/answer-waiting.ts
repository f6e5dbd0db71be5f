import type { Client } from '../clients/record/client-record.ts'
import { sidFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { commit } from '../core/commit.ts'
import { type StepContext, tellStep } from '../core/connection-steps.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import { joinFor, leaveToFirst, type SessionJoinContext } from '../sessions/join-session.ts'
import type { Session } from '../sessions/session.ts'
import type { Listing } from '../storage/lists.ts'
import { type Kind, recordOf } from '../storage/records.ts'
import { grantListings } from '../tokens/grant-listings.ts'
import { receiverListing } from '../tokens/receiver-listing.ts'
import { allowedFields, type WaitingCode } from '../tokens/waiting-code.ts'
import { type AdminRightsContext, scopeOfUser } from '../users/admin-rights.ts'

/** What it takes to store the answer to a code that waits. */
export type StoredAnswerContext = SessionJoinContext &
  AdminRightsContext &
  StepContext & {
    readonly settings: Pick<Settings, 'pairwise_salt' | 'shared_signals'>
    readonly report: ReportEvent
    /** When the request began, in milliseconds since 1970. */
    readonly began: () => number
  }

/** A kind of codes that wait for a person, and what it means that one answered. */
export interface WaitingKind<Code extends WaitingCode> {
  readonly kind: Kind<Code>
  readonly allowed: 'device_allowed' | 'ask_allowed'
  readonly denied: 'device_denied' | 'ask_denied'
}

/** A code that waits, and the person who can answer. */
export interface OpenQuestion<Code extends WaitingCode> {
  readonly of: WaitingKind<Code>
  readonly session: Session
  /** The id of the record of the code. */
  readonly id: string
  readonly code: Code
  readonly client: Client
  /** For how many seconds a code of the kind lives, from its beginning. */
  readonly lifetime: number
}

/** What the person agreed to. */
export interface Agreed {
  readonly subject: string
  readonly names: readonly string[]
  /** When, in milliseconds since 1970; undefined: just now. */
  readonly agreed_at: number | undefined
}

/**
 * Stores that a person lets the client of a code have tokens, unless it was answered before: its next poll gets them.
 * @param answered_by what answers
 * @returns the record with the answer that counts
 * @throws StorageUnavailable
 */
export async function noteAllowed<Code extends WaitingCode>(
  context: StoredAnswerContext,
  waiting: OpenQuestion<Code>,
  { subject, names, agreed_at }: Agreed,
  answered_by: string,
): Promise<Code | 'session_ended' | undefined> {
  const { session, id, client, of } = waiting
  const scope = await scopeOfUser(context, names.join(' '), session.username)
  const family = parseToken(id)?.family ?? ''
  // The session knows the client before there can be tokens, so that no logout overlooks them.
  if ((await joinFor(context, session, client, scope, family)) === 'missing') return 'session_ended'
  const { settings } = context
  const { username, auth_time, amr, acr } = session
  const sid = sidFor(client, session.sid, settings)
  const began = context.began()
  // An end that came since it was decided ends it.
  const started_at = Math.min(began, agreed_at ?? began)
  const times = { started_at: String(started_at), session_started_at: String(session.started_at) }
  const fields = allowedFields({ subject, username, auth_time, sid, amr, acr, ...times }, scope)
  const { client_id } = client
  const lasts = waiting.lifetime + (began - started_at) / 1000
  const lists = [
    ...grantListings({ family, started_at, client_id, username }, lasts),
    ...receiverListing(settings, { client, sub: session.sub, started_at }),
  ]
  const code = await note(context, waiting, { ...fields, answered_by }, of.allowed, lists)
  if (code?.answered_by === answered_by)
    tellStep(context, () => ({ step: 'authorized', client_id, grant: family, sub: subject }))
  await leaveToFirst(context, session, { family, sid }, code)
  return code
}

/** As noteAllowed, for a person who refuses: the next poll learns that. @throws StorageUnavailable */
export function noteDenied<Code extends WaitingCode>(
  context: StoredAnswerContext,
  waiting: OpenQuestion<Code>,
  answered_by: string,
): Promise<Code | undefined> {
  return note(context, waiting, { status: 'denied', answered_by }, waiting.of.denied)
}

/** Stores the answer unless there is one. Returns the record with the answer that counts. */
async function note<Code extends WaitingCode>(
  context: StoredAnswerContext,
  { session, id, client, of: { kind } }: OpenQuestion<Code>,
  set: Hash,
  event: WaitingKind<Code>['allowed' | 'denied'],
  lists: readonly Listing[] = [],
): Promise<Code | undefined> {
  const { storage } = context
  const { username, sub } = session
  const answered = { event, username, sub, client_id: client.client_id } as const
  await commit(context, [answered], {}, (told) =>
    storage.records.change(kind, id, { set, expected: { status: 'pending' }, lists, told }),
  )
  return recordOf(await storage.records.read(kind, id))
}
