import { hash } from 'node:crypto'
import { FieldReader } from '../../core/record-hash.ts'
import { type Kind, recordOf, write } from '../../storage/records.ts'
import type { User } from '../../users/user-record.ts'
import { type FactorsContext, findFactors } from '../change-factors.ts'

/** Whose a passkey is. */
export interface PasskeyOwner {
  readonly username: string
  /** Another user who gets the same username later is not the owner. */
  readonly sub: string
  /** In milliseconds since 1970. */
  readonly claimed_at: number
}

/**
 * Owners of passkeys, by the digest of the credential id: `passkey:<digest>`. The passkeys are in the factors of the
 * owners.
 */
export const PASSKEY_OWNER: Kind<PasskeyOwner> = {
  name: 'passkey',
  format: ({ username, sub, claimed_at }) => ({ username, sub, claimed_at: String(claimed_at) }),
  parse(fields) {
    const reader = new FieldReader(fields)
    const username = reader.required('username')
    const sub = reader.required('sub')
    const claimed_at = reader.integer('claimed_at', { min: 0, max: 1e14, unit: 'milliseconds since 1970' })
    if (reader.problems.length > 0) return { ok: false, problems: reader.problems }
    return { ok: true, record: { username, sub, claimed_at: claimed_at ?? 0 } }
  },
}

/** The name of a credential id, which may be longer than a key should be. */
export const passkeyDigest = (id: string): string => hash('sha256', id, 'base64url')

/** Time for a passkey to be added after it was claimed. */
const CLAIM_MS = 10 * 60_000

/**
 * Claims a credential id for a user, before it is added to the factors: so no other account can have it (WebAuthn Level 3
 * §7.1, step 26). A claim that was followed by nothing, because the process ended, leads nowhere, since only the factors
 * let somebody in; after ten minutes, or at once for its own user, it gives way.
 * @returns false: the id is known
 * @throws StorageUnavailable
 */
export async function claimPasskey(
  context: FactorsContext,
  { username, sub }: Pick<User, 'username' | 'sub'>,
  id: string,
  now: number,
): Promise<boolean> {
  const { records } = context.storage
  const digest = passkeyDigest(id)
  const claim: PasskeyOwner = { username, sub, claimed_at: now }
  if ((await records.create(write(PASSKEY_OWNER, digest, claim))) === 'ok') return true
  const found = await records.read(PASSKEY_OWNER, digest)
  // It was given up just now.
  if (found === undefined) return claimPasskey(context, { username, sub }, id, now)
  const owner = recordOf(found)
  if (owner === undefined) return false
  const { factors } = await findFactors(context, owner.username)
  if (factors.passkeys.has(id)) return false
  const is_own = owner.username === username && owner.sub === sub
  if (!is_own && now - owner.claimed_at < CLAIM_MS) return false
  const change = { set: PASSKEY_OWNER.format(claim), expected: found.hash }
  return (await records.change(PASSKEY_OWNER, digest, change)) === 'ok'
}

/** Whose a passkey is; undefined: nobody's. @throws StorageUnavailable */
export async function ownerOfPasskey(
  { storage }: FactorsContext,
  id: string,
): Promise<PasskeyOwner | undefined> {
  return recordOf(await storage.records.read(PASSKEY_OWNER, passkeyDigest(id)))
}

/** Gives up the claims on credential ids that are no longer in the factors of their user. @throws StorageUnavailable */
export async function releasePasskeys(
  context: FactorsContext,
  username: string,
  ids: Iterable<string>,
): Promise<void> {
  for (const id of ids) {
    const owner = await ownerOfPasskey(context, id)
    if (owner?.username === username) await context.storage.records.take(PASSKEY_OWNER, passkeyDigest(id))
  }
}
