import { hash } from 'node:crypto'
import type { ClientId } from '../core/ids.ts'
import { FieldReader, type Hash, type Parsed } from '../core/record-hash.ts'
import { parseToken } from '../core/token-string.ts'
import { CODE_KIND } from '../storage/families.ts'
import type { Kind } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { readSignIn, type SignIn } from './code-record.ts'
import { refreshLimit } from './grant-listings.ts'
import { malformed, type PlannedTokens, type RedeemResult } from './token-families.ts'

/** A device that asks for tokens (RFC 8628 §3.1). */
export interface DeviceRecord {
  readonly client_id: ClientId
  readonly scope: string
  /** The ids of the resources that were asked for, separated by spaces (RFC 8707). */
  readonly resource?: string
  /** What was asked for in detail (RFC 9396), as text. */
  readonly authorization_details?: string
  /** What the device shows to its user, without the dash. */
  readonly user_code: string
  /** Where the request came from: an IPv4 address or the network of an IPv6 address. */
  readonly address: string
  /** When it came, ISO 8601. */
  readonly asked_at: string
  /** `pending` until its user answers. */
  readonly status: string
  /** The pending request of the page that answered. */
  readonly answered_by?: string
  /** The sign-in whose user allowed it, as the client knows it. */
  readonly sid?: string
  /** The seconds between two polls. A poll that is too early adds to it. */
  readonly interval: string
}

/**
 * Device codes. They are codes that wait: an allowed one is redeemed, withdrawn and replayed as every code is. The id is
 * not the device code but `deviceIdOf` it, so that nothing which is stored or shown can be presented as one.
 */
export const DEVICE: Kind<DeviceRecord> = {
  ...CODE_KIND,
  format: ({ answered_by, resource, authorization_details, sid, ...record }) => ({
    ...record,
    ...(authorization_details && { authorization_details }),
    ...(resource && { resource }),
    ...(answered_by && { answered_by }),
    ...(sid && { sid }),
  }),
  parse: parseDevice,
}

function parseDevice(hash: Hash): Parsed<DeviceRecord> {
  const fields = new FieldReader(hash)
  const record = {
    client_id: fields.required('client_id'),
    scope: fields.optional('scope') ?? '',
    user_code: fields.required('user_code'),
    address: fields.required('address'),
    asked_at: fields.required('asked_at'),
    status: fields.required('status'),
    interval: fields.required('interval'),
    ...fields.given(['answered_by', 'resource', 'authorization_details', 'sid']),
  }
  return fields.problems.length > 0 ? { ok: false, problems: fields.problems } : { ok: true, record }
}

/** The id of the record of a device code: the same family, and a digest of the secret. Undefined if it is malformed. */
export function deviceIdOf(device_code: string): string | undefined {
  const parts = parseToken(device_code)
  return parts && `${parts.family}.${hash('sha256', parts.secret, 'base64url')}`
}

/** The user codes of devices that may still be answered. */
export const USER_CODE: Kind<{ readonly device: string }> = {
  name: 'user-code',
  format: ({ device }) => ({ device }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const device = fields.required('device')
    return fields.problems.length > 0
      ? { ok: false, problems: fields.problems }
      : { ok: true, record: { device } }
  },
}

/** The fields that the answer `allow` sets; with them a waiting code can be redeemed. */
export function allowedFields({ auth_time, ...sign_in }: SignIn, scope: string): Hash {
  const given = Object.entries(sign_in).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(given),
    auth_time: String(auth_time),
    scope,
    ...refreshLimit(scope),
    status: 'active',
  }
}

/** One attempt to redeem a device code. */
export interface DeviceRedemption extends PlannedTokens {
  readonly client_id: ClientId
}

/** The result of redeemDeviceCode. `mismatch`: the code was issued to another client. */
export type DeviceResult =
  | { outcome: 'ok'; scope: string; sign_in: SignIn }
  | Exclude<RedeemResult, { outcome: 'ok' }>

/**
 * Asks for the tokens of a device code, and redeems it once after its user allowed it.
 * @throws StorageUnavailable; Error if the record is malformed
 */
export async function redeemDeviceCode(
  { families }: Pick<Storage, 'families'>,
  device_code: string,
  { client_id, ...redemption }: DeviceRedemption,
): Promise<DeviceResult> {
  const id = deviceIdOf(device_code)
  if (id === undefined) return { outcome: 'missing' }
  // What the code is bound to comes last, so that no member of an attempt replaces it.
  const attempt = {
    ...redemption,
    // An authorization code has a redirect_uri, so it cannot be redeemed as a device code.
    bound_to: { client_id, redirect_uri: undefined },
  }
  const result = await families.redeemCode(id, attempt)
  if (result.outcome !== 'ok') return result
  const fields = new FieldReader(result.code)
  const sign_in = readSignIn(fields)
  if (fields.problems.length > 0) throw malformed('code', fields.problems)
  return { outcome: 'ok', scope: fields.optional('scope') ?? '', sign_in }
}
