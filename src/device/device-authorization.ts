import { type Static, Type } from '@sinclair/typebox'
import { authenticateClient, type Caller } from '../clients/authentication/client-auth.ts'
import type { Client } from '../clients/record/client-record.ts'
import { DEVICE_CODE } from '../clients/record/grant-types.ts'
import type { Settings } from '../config/settings.ts'
import { type StepContext, tellUnproven } from '../core/connection-steps.ts'
import { notRegisteredFor, tooManyDevices } from '../core/grant-errors.ts'
import type { Parameters as RequestParameters } from '../core/parameters.ts'
import { PATHS } from '../core/paths.ts'
import { newFamilyId, newToken } from '../core/token-string.ts'
import { withQuery } from '../core/uri.ts'
import { checkDetails, checkedText } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import { countByAddress } from '../limits/address-limit.ts'
import { findResources, idsOf, scopeAt, type TargetContext } from '../resources/target.ts'
import { write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { DEVICE, type DeviceRecord, USER_CODE } from '../tokens/device-record.ts'
import { waitingIdOf } from '../tokens/waiting-code.ts'
import { newUserCode, shownUserCode } from './user-code.ts'

/** How many bytes of details one device may leave, where docs/decisions/0052 bounds what all leave. */
const DETAILS_OF_DEVICE = 1024

/** The body of a device authorization response (RFC 8628 §3.2). */
export const DeviceAuthorization = Type.Object(
  {
    device_code: Type.String(),
    user_code: Type.String({ description: 'What the device shows to its user' }),
    verification_uri: Type.String({ format: 'uri', description: 'Where the user enters it' }),
    verification_uri_complete: Type.String({ format: 'uri', description: 'The same with the user code' }),
    expires_in: Type.Integer({ description: 'Lifetime of both codes in seconds' }),
    interval: Type.Integer({ description: 'Seconds between two token requests' }),
  },
  { $id: 'redmint:DeviceAuthorization', description: 'The codes of a device' },
)
export type DeviceAuthorization = Static<typeof DeviceAuthorization>

/** What the device authorization endpoint works with. */
export type DeviceContext = Parameters<typeof authenticateClient>[0] &
  TargetContext &
  StepContext &
  DetailsContext & {
    readonly settings: Pick<Settings, 'device_code_ttl' | 'device_interval' | 'device_requests' | 'issuer'>
    readonly storage: Pick<Storage, 'counters' | 'records' | 'bounded'>
  }

/**
 * Answers a device authorization request (RFC 8628 §3.1). A public client proves nothing, so its requests are limited by
 * address; docs/decisions/0052 has the bound of all requests. Resources are checked as in an authorization request.
 * @throws OAuthError; StorageUnavailable
 */
export async function authorizeDevice(
  context: DeviceContext,
  parameters: RequestParameters,
  caller: Caller,
): Promise<DeviceAuthorization> {
  const { settings, now } = context
  const client = await authenticateClient(context, caller, parameters)
  if (!client.grant_types.includes(DEVICE_CODE)) throw notRegisteredFor(DEVICE_CODE, client.grant_types)
  const resources = parameters.resource ? await findResources(context, parameters.resource) : []
  const { authorization_details } = parameters
  // RFC 8707 §2.2.
  const scope = scopeAt(resources, client, parameters)
  const details =
    authorization_details === undefined ? [] : await checkDetails(context, client, authorization_details)
  const address = caller.address()
  const detailed = checkedText(details)
  const weight = Math.max(1, Math.ceil(Buffer.byteLength(detailed) / DETAILS_OF_DEVICE))
  if (client.is_public) await countDevice(context, client, address, weight)
  const device_code = newToken(newFamilyId())
  const { client_id } = client
  const asked = { client_id, scope, address, asked_at: new Date(now()).toISOString(), status: 'pending' }
  const interval = String(settings.device_interval)
  const resource = resources.length > 0 && { resource: idsOf(resources) }
  const record = {
    ...asked,
    ...resource,
    ...(detailed !== '' && { authorization_details: detailed }),
    interval,
  }
  const user_code = await saveDevice(context, device_code, record)
  tellUnproven(context, () => ({ step: 'asked', client_id, from: address }))
  const verification_uri = settings.issuer + PATHS.device
  return {
    device_code,
    user_code,
    verification_uri,
    verification_uri_complete: withQuery(verification_uri, { user_code }),
    expires_in: settings.device_code_ttl,
    interval: settings.device_interval,
  }
}

async function countDevice(
  { storage, settings }: DeviceContext,
  { client_id }: Client,
  address: string,
  weight: number,
): Promise<void> {
  const { device_requests: max, device_code_ttl: window } = settings
  const exceeded = await countByAddress(storage, address, { group: 'device', max, window, weight })
  if (exceeded === undefined) return
  const { retry_after, is_first } = exceeded
  throw tooManyDevices(
    retry_after,
    is_first ? { event: 'device_limited', client_id, retry_after } : undefined,
  )
}

/** Writes the codes of a device, each with its own lifetime, and returns the user code as the device shows it. */
async function saveDevice(
  context: DeviceContext,
  device_code: string,
  asked: Omit<DeviceRecord, 'user_code'>,
): Promise<string> {
  const { storage, settings } = context
  const user_code = newUserCode()
  const device = waitingIdOf(device_code) ?? ''
  const ttl = settings.device_code_ttl
  // Two writes, because the records are in different slots. The codes are sent only after both.
  const created = await storage.records.create(write(USER_CODE, user_code, { device }, ttl))
  if (created === 'exists') return saveDevice(context, device_code, asked)
  await storage.records.put(write(DEVICE, device, { ...asked, user_code }, ttl))
  return shownUserCode(user_code)
}
