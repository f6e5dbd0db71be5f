import type { Hash } from '../core/record-hash.ts'
import { isOpaqueToken } from '../core/token-string.ts'
import { verifyAccessJwt } from './access-jwt.ts'
import { parseTokenRecord, type TokenRecord } from './token-record.ts'
import type { AccessToken, Validation, ValidationContext } from './validation.ts'

const UNUSABLE_CLIENT = { valid: false, reason: 'its client is unknown, disabled or malformed' } as const

/**
 * Validates an access token of either format: an opaque token by its record, a JWT by its signature and claims. With
 * `check_grant` it also reads the grant record, and refuses a revoked JWT. If it reads storage, the client must be
 * enabled too.
 * @throws StorageUnavailable
 */
export async function validateAccessToken(
  context: ValidationContext,
  token: string,
  check_grant: boolean,
): Promise<Validation<AccessToken>> {
  if (!isOpaqueToken(token)) {
    const verified = await verifyAccessJwt(context, token)
    return verified.valid && check_grant ? checkRevocation(context, verified.token) : verified
  }
  const found = await findLiveToken(context, token, check_grant)
  if (found.valid && found.token.type !== 'access_token') {
    return { valid: false, reason: `of type ${found.token.type}` }
  }
  return found
}

/**
 * Finds an opaque access token or a refresh token that is neither revoked nor expired, and whose client is enabled.
 * @throws StorageUnavailable
 */
export async function findLiveToken(
  { storage, clients, now }: Pick<ValidationContext, 'storage' | 'clients' | 'now'>,
  token: string,
  check_grant = false,
): Promise<Validation<TokenRecord & Pick<AccessToken, 'grant'>>> {
  const { token: hash, family: grant } = check_grant
    ? await storage.families.findTokenAndFamily(token)
    : { token: await storage.families.findToken(token) }
  if (hash === undefined) return { valid: false, reason: 'unknown or expired' }
  const parsed = parseTokenRecord(token, hash)
  if (!parsed.ok) return { valid: false, reason: `malformed record: ${parsed.problems[0]?.field}` }
  if (parsed.record.revoked) return { valid: false, reason: 'revoked' }
  if (parsed.record.expires_at.getTime() < now()) return { valid: false, reason: 'expired' }
  if ((await clients.find(parsed.record.client_id)) === undefined) return UNUSABLE_CLIENT
  return { valid: true, token: withGrant(parsed.record, grant) }
}

/**
 * Refuses a verified JWT that was revoked by its jti or with its family, or whose client is not enabled.
 * @throws StorageUnavailable
 */
async function checkRevocation(
  { storage, clients }: Pick<ValidationContext, 'storage' | 'clients'>,
  token: AccessToken,
): Promise<Validation<AccessToken>> {
  const [found, client] = await Promise.all([
    storage.families.findTokenAndFamily(token.jti),
    clients.find(token.client_id),
  ])
  if (client === undefined) return UNUSABLE_CLIENT
  if (found.token !== undefined && found.token.revoked !== 'false') return { valid: false, reason: 'revoked' }
  // The grant record of a user's token outlives the token, so a token without one is refused.
  const status = found.family?.status ?? (token.subject === '' ? 'active' : 'gone')
  if (status !== 'active') return { valid: false, reason: `its grant is ${status}` }
  return { valid: true, token: withGrant(token, found.family) }
}

function withGrant<T extends object>(token: T, grant: Hash | undefined): T & Pick<AccessToken, 'grant'> {
  return grant === undefined ? token : { ...token, grant }
}
