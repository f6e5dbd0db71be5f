import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import { ownTarget, type TokenTarget } from '../resources/target.ts'
import type { NotedJwt, StatusBit } from '../storage/noted-jwts.ts'
import { accessTokenShape, type TokenPlan } from './plan.ts'

/** Gives bits of status lists to JWTs. */
export interface StatusBits {
  /** Returns a bit that no other token gets. @throws StorageUnavailable */
  take(): StatusBit | Promise<StatusBit>
  /** Takes a bit back whose token was not issued. */
  giveBack(bit: StatusBit): void
}

/** What decides whether a token has a bit. */
interface StatusContext {
  readonly settings: Pick<Settings, 'access_token_format' | 'access_token_ttl'>
  /** Undefined: there are no status lists. */
  readonly status_bits: StatusBits | undefined
}

/** Returns what gives the access token of a client for a target its bit; undefined: it has none. */
export function bitsFor(
  { settings, status_bits }: StatusContext,
  client: Client,
  target: TokenTarget | undefined,
): StatusBits | undefined {
  if (status_bits === undefined || !(client.status_list || target?.status_list)) return undefined
  const { format } = accessTokenShape(settings, client, target ?? ownTarget(client))
  return format === 'jwt' ? status_bits : undefined
}

/** Returns what storage notes of the access token of a plan; nothing unless it has a bit. */
export function notedFor(
  { status, jti, issued_at }: Pick<TokenPlan, 'status' | 'jti' | 'issued_at'>,
  { client_id }: Pick<Client, 'client_id'>,
  more: { readonly is_own?: boolean; readonly act?: string } = {},
): { readonly noted?: NotedJwt } {
  if (status === undefined) return NOTHING
  return { noted: { is_own: false, ...status, jti, client_id, issued_at, ...more } }
}

const NOTHING = {}
