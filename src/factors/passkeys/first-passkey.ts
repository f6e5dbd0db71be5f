import { hash } from 'node:crypto'
import type { Settings } from '../../config/settings.ts'
import { commit } from '../../core/commit.ts'
import type { ReportEvent, SecurityEvent } from '../../core/events.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { RecordStore } from '../../storage/storage.ts'
import { changeAccount } from '../account-now.ts'
import { findFactors } from '../change-factors.ts'
import type { Passkey } from '../factors-record.ts'
import { type ChallengeContext, newChallenge } from './challenge.ts'
import { optionsFor } from './create-passkey.ts'
import { type MadePasskey, takeMade } from './made-passkey.ts'
import { providerName } from './provider-names.ts'

/** What it takes to make the first passkey of an account that does not exist yet. */
export interface FirstPasskeyContext extends ChallengeContext {
  readonly settings: Pick<Settings, 'issuer' | 'service_name'>
  readonly storage: RecordStore
  readonly report: ReportEvent
}

/** A passkey that somebody made for an account that is to be. */
export interface FirstPasskey extends Omit<MadePasskey, 'challenge'> {
  readonly user_handle: string
}

/**
 * Returns what the page asks the browser for. The name is left empty: the script takes that of the form. Nothing is stored.
 * @param bound_to the link and the browser that opened it
 * @throws StorageUnavailable, as Sealer.seal
 */
export function firstPasskeyOptions(context: FirstPasskeyContext, bound_to: string): object {
  const challenge = newChallenge(context, { purpose: 'join', bound_to })
  return optionsFor(context, { id: handleOf(challenge), name: '', displayName: '' }, challenge)
}

/**
 * Judges what the page posted, and uses up its challenge: it counts once, at all replicas. Undefined: it took too long,
 * or is not for this.
 * @throws StorageUnavailable
 */
export async function takeFirstPasskey(
  context: FirstPasskeyContext,
  bound_to: string,
  posted: string,
): Promise<FirstPasskey | undefined> {
  const made = await takeMade(context, { purpose: 'join', bound_to }, posted)
  if (made === undefined) return undefined
  const { challenge, ...passkey } = made
  return { ...passkey, user_handle: handleOf(challenge) }
}

/**
 * Makes the passkey all that the user has, and enables the user, in one step; what was left of an earlier one of the same
 * name goes.
 * @param browser the browser in words
 * @param made the event of the account
 * @returns false: somebody changed the user meanwhile
 * @throws StorageUnavailable
 */
export async function addFirstPasskey(
  context: FirstPasskeyContext,
  { username, hash }: { readonly username: string; readonly hash: Hash },
  { id, user_handle, proven, transports }: FirstPasskey,
  browser: string | undefined,
  made: SecurityEvent,
): Promise<boolean> {
  const provider = providerName(proven.aaguid)
  const name = provider ?? browser ?? 'Passkey'
  const passkey: Passkey = { name, ...proven, created_at: context.now(), transports }
  const passkeys = new Map([[id, passkey]])
  const events: SecurityEvent[] = [{ event: 'passkey_added', username, provider }, made]
  const { factors } = await findFactors(context, username)
  const wanted = { generation: factors.generation, user_handle, passkeys }
  const change = { unset: ['disabled'], factors: wanted, whole: true } as const
  const account = { user: { username }, hash, factors }
  const changed = await commit(context, events, { sub: hash.sub }, (told) =>
    changeAccount(context, account, { ...change, told }),
  )
  return changed !== undefined
}

// Random as the challenge, and nothing that says who it is (WebAuthn Level 3 §14.6.1).
const handleOf = (challenge: string): string => hash('sha256', `user handle ${challenge}`, 'base64url')
