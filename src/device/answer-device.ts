import type { Client } from '../clients/record/client-record.ts'
import { sidFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { commit } from '../core/commit.ts'
import { type StepContext, tellStep } from '../core/connection-steps.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import { type Interaction, type InteractionReply, toNextStep } from '../interaction/interaction.ts'
import { deviceDonePage } from '../pages/device-done.ts'
import { joinFor, leaveToFirst, type SessionJoinContext } from '../sessions/join-session.ts'
import type { Session } from '../sessions/session.ts'
import type { Listing } from '../storage/lists.ts'
import { recordOf } from '../storage/records.ts'
import { allowedFields, DEVICE, type DeviceRecord } from '../tokens/device-record.ts'
import { grantListings } from '../tokens/grant-listings.ts'
import { type AdminRightsContext, scopeOfUser } from '../users/admin-rights.ts'
import { type CodePageContext, deviceOverPage } from './verification.ts'

/** What it takes to store the answer to a device. */
type StoredAnswerContext = SessionJoinContext &
  AdminRightsContext &
  StepContext & {
    readonly settings: Pick<Settings, 'device_code_ttl' | 'pairwise_salt'>
    readonly report: ReportEvent
    /** When the request began, in milliseconds since 1970. */
    readonly began: () => number
  }

/** What it takes to answer a device. */
export type DeviceAnswerContext = StoredAnswerContext & CodePageContext

/** A device that waits, and the user who can answer. */
export interface WaitingDevice {
  readonly session: Session
  /** The id of the record of the device. */
  readonly id: string
  readonly device: DeviceRecord
  readonly client: Client
}

/** What the user agreed to. */
interface Agreed {
  readonly subject: string
  readonly names: readonly string[]
  /** When, in milliseconds since 1970; undefined: just now. */
  readonly agreed_at: number | undefined
}

/**
 * Lets a device have tokens of the user: its next request gets them.
 * @returns the page that says so, or that somebody else answered before; the next step if the session ended meanwhile
 * @throws StorageUnavailable
 */
export async function allowDevice(
  context: DeviceAnswerContext,
  interaction: Interaction,
  asked: WaitingDevice,
  agreed: Agreed,
): Promise<InteractionReply> {
  const device = await noteAllowed(context, asked, agreed, interaction.pending.id)
  return device === 'session_ended' ? toNextStep(interaction) : outcomePage(context, interaction, device)
}

/** Refuses a device: its next request learns that. @throws StorageUnavailable */
export async function denyDevice(
  context: DeviceAnswerContext,
  interaction: Interaction,
  asked: WaitingDevice,
): Promise<InteractionReply> {
  return outcomePage(context, interaction, await noteDenied(context, asked, interaction.pending.id))
}

/**
 * Stores that a user lets a device have tokens, unless it was answered before.
 * @param answered_by what answers
 * @returns the record with the answer that counts
 * @throws StorageUnavailable
 */
export async function noteAllowed(
  context: StoredAnswerContext,
  asked: WaitingDevice,
  { subject, names, agreed_at }: Agreed,
  answered_by: string,
): Promise<DeviceRecord | 'session_ended' | undefined> {
  const { session, id, client } = asked
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
  const lasts = settings.device_code_ttl + (began - started_at) / 1000
  const lists = grantListings({ family, started_at, client_id, username }, lasts)
  const device = await note(context, asked, { ...fields, answered_by }, 'device_allowed', lists)
  if (device?.answered_by === answered_by)
    tellStep(context, () => ({ step: 'authorized', client_id, grant: family, sub: subject }))
  await leaveToFirst(context, session, { family, sid }, device)
  return device
}

/** As noteAllowed, for a user who refuses. @throws StorageUnavailable */
export function noteDenied(
  context: StoredAnswerContext,
  asked: WaitingDevice,
  answered_by: string,
): Promise<DeviceRecord | undefined> {
  return note(context, asked, { status: 'denied', answered_by }, 'device_denied')
}

/** Stores the answer unless the device was answered before. Returns the record with the answer that counts. */
async function note(
  context: StoredAnswerContext,
  { session, id, client }: WaitingDevice,
  set: Hash,
  event: 'device_allowed' | 'device_denied',
  lists: readonly Listing[] = [],
): Promise<DeviceRecord | undefined> {
  const { storage } = context
  const { username, sub } = session
  const answered = { event, username, sub, client_id: client.client_id } as const
  await commit(context, [answered], {}, (told) =>
    storage.records.change(DEVICE, id, { set, expected: { status: 'pending' }, lists, told }),
  )
  return recordOf(await storage.records.read(DEVICE, id))
}

/** The page after the answer. Only the page that gave it shows it, however often it is loaded. */
export function outcomePage(
  context: CodePageContext,
  interaction: Interaction,
  device: DeviceRecord | undefined,
): InteractionReply {
  const { pending, parameters } = interaction
  const { ui_locales } = parameters
  if (device?.answered_by !== pending.id) return deviceOverPage(context, interaction)
  const is_allowed = device.status !== 'denied'
  return { to: 'page', render: (view) => deviceDonePage({ is_allowed }, view), needs: {}, ui_locales }
}
