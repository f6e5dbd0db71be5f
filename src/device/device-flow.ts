import type { Caller } from '../clients/authentication/client-auth.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Settings } from '../config/settings.ts'
import type { Flow } from '../interaction/flow.ts'
import { type Interaction, type InteractionReply, toNextStep } from '../interaction/interaction.ts'
import type { PendingContext } from '../interaction/pending-request.ts'
import { replyTo } from '../interaction/step-result.ts'
import { withBar } from '../interaction/waiting-bar.ts'
import { deviceDonePage } from '../pages/device-done.ts'
import type { Session } from '../sessions/session.ts'
import { recordOf } from '../storage/records.ts'
import { DEVICE, type DeviceRecord } from '../tokens/device-record.ts'
import { noteAllowed, noteDenied, type WaitingKind } from './answer-waiting.ts'
import { type FindDeviceContext, findDevice } from './find-device.ts'
import { shownUserCode } from './user-code.ts'
import { type CodePageContext, codePage, deviceOverPage } from './verification.ts'
import { dueFor, type WaitingDueContext } from './waiting-due.ts'

/** Device codes, and what it means that one was answered. */
export const DEVICES: WaitingKind<DeviceRecord> = {
  kind: DEVICE,
  allowed: 'device_allowed',
  denied: 'device_denied',
}

/** What it takes to continue a pending verification of a user code. */
export type DeviceFlowContext = WaitingDueContext &
  FindDeviceContext &
  CodePageContext &
  PendingContext & {
    readonly clients: Pick<ClientRegistry, 'find'>
    readonly settings: Pick<Settings, 'device_code_ttl'>
  }

/**
 * The flow of users who entered the user code of a device (RFC 8628 §3.3).
 * @param caller returns the address of the user, by which wrong codes are counted
 */
export function deviceFlow(context: DeviceFlowContext, caller: Pick<Caller, 'address'>): Flow<never> {
  return async (interaction) => {
    const { session, pending } = interaction
    const wantsOther = pending.other_account === 'true' && pending.signed_in !== session?.sid
    // Which client asks is known only to users who are signed in.
    if (session === undefined || wantsOther) {
      return { due: 'user', step: { step: 'login' }, destination: undefined }
    }
    const { code_id: id } = pending
    if (id === undefined) return { due: 'answer', answer: () => find(context, caller, interaction, session) }
    const code = recordOf(await context.storage.records.read(DEVICE, id))
    const client = code && (await context.clients.find(code.client_id))
    if (code === undefined || client === undefined)
      return { due: 'answer', answer: () => deviceOverPage(context, interaction) }
    if (code.status !== 'pending')
      return { due: 'answer', answer: () => outcomePage(context, interaction, code) }
    const { device_code_ttl: lifetime } = context.settings
    const waiting = { of: DEVICES, session, id, code, client, lifetime }
    const { user_code, address, asked_at } = code
    const shown = { user_code: shownUserCode(user_code), address, asked_at: Date.parse(asked_at) }
    return dueFor(context, interaction, waiting, {
      // Whoever is led here by a link of somebody else has no device with the code (RFC 8628 §5.4).
      shown: (gives_change) => ({ device: { ...shown, ...(gives_change && { is_typed: true as const }) } }),
      async allow(agreed) {
        const noted = await noteAllowed(context, waiting, agreed, pending.id)
        return noted === 'session_ended' ? toNextStep(interaction) : outcomePage(context, interaction, noted)
      },
      deny: async () => outcomePage(context, interaction, await noteDenied(context, waiting, pending.id)),
    })
  }
}

/** The page after the answer. Only the page that gave it shows it, however often it is loaded. */
async function outcomePage(
  context: CodePageContext,
  interaction: Interaction,
  device: DeviceRecord | undefined,
): Promise<InteractionReply> {
  const { pending, parameters, session } = interaction
  const { ui_locales } = parameters
  if (device?.answered_by !== pending.id) return deviceOverPage(context, interaction)
  const is_allowed = device.status !== 'denied'
  const render = await withBar(context, session, (view) => deviceDonePage({ is_allowed }, view))
  return { to: 'page', render, needs: {}, ui_locales }
}

async function find(
  context: DeviceFlowContext,
  caller: Pick<Caller, 'address'>,
  interaction: Interaction,
  session: Session,
): Promise<InteractionReply> {
  const { parameters } = interaction
  const { user_code = '' } = parameters
  const found = await findDevice(context, user_code, session, caller.address())
  if (found.outcome === 'found') return replyTo(context, interaction, { noted: { code_id: found.device } })
  const problem = found.outcome === 'unknown' ? 'wrong' : { retry_after_seconds: found.retry_after }
  return codePage(context, session, parameters.ui_locales, problem, shownUserCode(user_code))
}
