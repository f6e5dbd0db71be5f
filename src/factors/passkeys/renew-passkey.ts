import { hash } from 'node:crypto'
import type { Settings } from '../../config/settings.ts'
import { commit } from '../../core/commit.ts'
import type { ReportEvent } from '../../core/events.ts'
import type { RecordStore } from '../../storage/storage.ts'
import type { User } from '../../users/user-record.ts'
import { type AccountChange, type AccountNow, changeAccount } from '../account-now.ts'
import type { Factors, Passkey } from '../factors-record.ts'
import { type ChallengeContext, newChallenge } from './challenge.ts'
import { freeName, MAX_PASSKEYS, optionsFor } from './create-passkey.ts'
import type { MadePasskey } from './made-passkey.ts'
import { passkeyDigest, releasePasskeys } from './passkey-owner.ts'
import { providerName } from './provider-names.ts'

/** What it takes to make a passkey in place of lost ones. */
export interface RenewContext extends ChallengeContext {
  readonly settings: Pick<Settings, 'issuer' | 'service_name'>
  readonly storage: RecordStore
  readonly report: ReportEvent
}

/** Whose passkeys are lost, and what there is of them. */
export interface Loser {
  readonly user: User
  readonly factors: Factors
}

/**
 * Returns what the page asks the browser for. None is excluded: one that its keeper still has, but that its owner cannot
 * use, is replaced there. Nothing is stored.
 * @param bound_to the link and the browser that opened it
 * @throws StorageUnavailable, as Sealer.seal
 */
export function renewOptions(context: RenewContext, { user, factors }: Loser, bound_to: string): object {
  const { username, claims } = user
  const challenge = newChallenge(context, { purpose: 'renew', bound_to })
  const owner = { id: handleIn(factors, challenge), name: username, displayName: claims.name ?? username }
  return optionsFor(context, owner, challenge)
}

/**
 * Adds a passkey that was claimed, and changes the user in the same step. Where there are as many as there can be, it
 * takes the place of the one that was used longest ago: somebody who lost all of them must get in.
 * @param browser the browser in words
 * @param becomes what becomes of the user
 * @returns its digest; undefined: the account changed meanwhile
 * @throws StorageUnavailable
 */
export async function addRenewed(
  context: RenewContext,
  account: AccountNow,
  { id, challenge, proven, transports }: MadePasskey,
  browser: string | undefined,
  becomes: Pick<AccountChange, 'set' | 'unset'>,
): Promise<string | undefined> {
  const { user, factors } = account
  const { username, sub } = user
  const provider = providerName(proven.aaguid)
  const event = { event: 'passkey_added', username, provider } as const
  const replaced = longestUnused(factors)
  const kept = new Map([...factors.passkeys].filter(([other]) => !replaced.includes(other)))
  const name = freeName({ ...factors, passkeys: kept }, provider ?? browser ?? 'Passkey')
  const passkey: Passkey = { name, ...proven, created_at: context.now(), transports }
  const wanted = { ...factors, user_handle: handleIn(factors, challenge), passkeys: kept.set(id, passkey) }
  const changed = await commit(context, [event], { sub }, (told) =>
    changeAccount(context, account, { ...becomes, factors: wanted, told }),
  )
  await releasePasskeys(context, username, changed === undefined ? [id] : replaced)
  return changed && passkeyDigest(id)
}

const lastUse = ({ last_used_at, created_at }: Passkey): number => last_used_at ?? created_at

function longestUnused({ passkeys }: Factors): readonly string[] {
  if (passkeys.size < MAX_PASSKEYS) return []
  const [oldest] = [...passkeys].sort(([, one], [, other]) => lastUse(one) - lastUse(other))
  return oldest === undefined ? [] : [oldest[0]]
}

// Random as the challenge, and nothing that says who it is (WebAuthn Level 3 §14.6.1). Keepers that have a passkey of the
// person know the handle.
const handleIn = ({ user_handle }: Factors, challenge: string): string =>
  user_handle ?? hash('sha256', `user handle ${challenge}`, 'base64url')
