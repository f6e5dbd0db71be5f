import { claimsOfScope } from '../claims/claims.ts'
import type { Caller } from '../clients/authentication/client-auth.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Client } from '../clients/record/client-record.ts'
import { clashWithClient, subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { givesChange } from '../core/admin-scopes.ts'
import { OAuthError } from '../core/errors.ts'
import { scopeNames } from '../core/scope.ts'
import { type CheckedDetail, checkDetails } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import { type AccessStepContext, findNoAccess } from '../interaction/access-step.ts'
import { comesBackBy } from '../interaction/come-back-step.ts'
import { type ConsentRegistry, consentName } from '../interaction/consent.ts'
import { consentStep, hasAgreed, readLeftOut } from '../interaction/consent-step.ts'
import type { Due, Flow } from '../interaction/flow.ts'
import type { Interaction, InteractionReply } from '../interaction/interaction.ts'
import type { PendingContext } from '../interaction/pending-request.ts'
import { allowedOf, type RecentProofContext } from '../interaction/recent-proof.ts'
import type { SignInMethods } from '../interaction/sign-in-method.ts'
import { replyTo } from '../interaction/step-result.ts'
import { destinationOf } from '../pages/destination.ts'
import type { Resource } from '../resources/resource-record.ts'
import type { TargetContext } from '../resources/target.ts'
import type { Session } from '../sessions/session.ts'
import { recordOf } from '../storage/records.ts'
import { DEVICE, type DeviceRecord } from '../tokens/device-record.ts'
import {
  allowDevice,
  type DeviceAnswerContext,
  denyDevice,
  outcomePage,
  type WaitingDevice,
} from './answer-device.ts'
import { type FindDeviceContext, findDevice } from './find-device.ts'
import { shownUserCode } from './user-code.ts'
import { codePage, deviceOverPage } from './verification.ts'

/** What it takes to continue a pending verification of a user code. */
export type DeviceFlowContext = DeviceAnswerContext &
  AccessStepContext &
  FindDeviceContext &
  PendingContext &
  RecentProofContext &
  TargetContext &
  DetailsContext & {
    readonly clients: Pick<ClientRegistry, 'find'>
    readonly consents: Pick<ConsentRegistry, 'find'>
    readonly methods: SignInMethods
    readonly settings: Pick<Settings, 'scope_claims'>
  }

type DeviceDue = Due<never>

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
    const { device: id } = pending
    if (id === undefined) return { due: 'answer', answer: () => find(context, caller, interaction, session) }
    const device = recordOf(await context.storage.records.read(DEVICE, id))
    const client = device && (await context.clients.find(device.client_id))
    if (device === undefined || client === undefined)
      return { due: 'answer', answer: async () => deviceOverPage(context, interaction) }
    if (device.status !== 'pending')
      return { due: 'answer', answer: async () => outcomePage(context, interaction, device) }
    return dueFor(context, interaction, { session, id, device, client })
  }
}

async function dueFor(
  context: DeviceFlowContext,
  interaction: Interaction,
  asked: WaitingDevice,
): Promise<DeviceDue> {
  const { pending } = interaction
  const { session, device, client } = asked
  const { required_acr } = client
  if (required_acr?.includes(session.acr) === false) {
    const step = { step: 'login', acr_values: required_acr, is_step_up: true } as const
    return { due: 'user', step, destination: destinationOf(client) }
  }
  const subject = subjectFor(client, session.sub, context.settings)
  const is_refused = pending.refused === session.sid || clashWithClient(subject, client) !== undefined
  const claims = claimsOfScope(device.scope, context.settings.scope_claims)
  const returning = is_refused ? undefined : await comesBackBy(context, { client, claims }, session)
  if (returning !== undefined) return { due: 'user', step: returning, destination: destinationOf(client) }
  const no_access = is_refused ? undefined : await findNoAccess(context, client, session)
  if (no_access !== undefined) return { due: 'user', step: no_access, destination: destinationOf(client) }
  const resources = await resourcesOf(context, device)
  const details = await detailsOf(context, client, device)
  if (is_refused || resources === undefined || details === undefined) {
    return { due: 'answer', answer: () => denyDevice(context, interaction, asked) }
  }
  // Without the scopes that the client lost since the device asked.
  const scope = scopeNames(device.scope).filter((name) => client.allowed_scopes.includes(name))
  const names = [...scope, ...resources.map(consentName)]
  const { address, asked_at } = device
  const shown = { user_code: shownUserCode(device.user_code), address, asked_at: Date.parse(asked_at) }
  const allowed = await allowedOf(context, scope.join(' '), session, pending)
  if (allowed.step !== undefined)
    return { due: 'user', step: allowed.step, destination: destinationOf(client) }
  // Whoever is led here by a link of somebody else has no device with the code (RFC 8628 §5.4).
  const is_typed = givesChange(scopeNames(allowed.scope))
  const consent = { client, names, resources, details, device: { ...shown, ...(is_typed && { is_typed }) } }
  const step = consentStep(consent)
  if (hasAgreed(pending, session, step)) {
    const left_out = readLeftOut(step, pending.left_out)
    const granted = scopeNames(allowed.scope).filter((name) => !left_out.has(name))
    return {
      due: 'answer',
      answer: () =>
        allowDevice(context, interaction, asked, { subject, names: granted, agreed_at: pending.agreed_at }),
    }
  }
  // Always asked, whatever was agreed to before: the device may be that of somebody else (RFC 8628 §5.4).
  const remembered = await context.consents.find(session.sub, client.client_id)
  return { due: 'user', step: consentStep(consent, remembered), destination: destinationOf(client) }
}

/** What a device asked for in detail; undefined if its client may not have it any more. @throws StorageUnavailable */
async function detailsOf(
  context: DetailsContext,
  client: Client,
  { authorization_details }: DeviceRecord,
): Promise<readonly CheckedDetail[] | undefined> {
  if (authorization_details === undefined) return []
  try {
    return await checkDetails(context, client, authorization_details)
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return undefined
    throw error
  }
}

/**
 * The resources of a device; undefined if one was removed or disabled. It may come back, and the device would get tokens
 * for what its user was not shown.
 */
async function resourcesOf(
  { resources }: TargetContext,
  { resource = '' }: DeviceRecord,
): Promise<Resource[] | undefined> {
  const found: Resource[] = []
  for (const uri of resource.split(' ').filter((id) => id !== '')) {
    const one = await resources.find(uri)
    if (one === undefined) return undefined
    found.push(one)
  }
  return found
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
  if (found.outcome === 'found') return replyTo(context, interaction, { noted: { device: found.device } })
  const problem = found.outcome === 'unknown' ? 'wrong' : { retry_after_seconds: found.retry_after }
  return codePage(context, parameters.ui_locales, problem, shownUserCode(user_code))
}
