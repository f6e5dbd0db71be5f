import { customClaimField } from '../accounts/custom-claims.ts'
import type { ReadUser } from '../accounts/owner-of-address.ts'
import { refreshUser } from '../accounts/refresh-user.ts'
import type { User } from '../accounts/user-record.ts'
import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Storage } from '../storage/storage.ts'
import { ProviderFailure, type UpstreamUser } from './upstream.ts'

/** What it takes to take over what a provider says. */
interface TakeOverContext {
  readonly storage: Storage
  readonly report: ReportEvent
  readonly settings: Pick<Settings, 'groups_claim'>
}

/**
 * Takes over the profile and the groups that a provider says at a sign-in.
 * @returns the user as it is then; undefined: it changed meanwhile
 * @throws ProviderFailure if that does not fit into the record; StorageUnavailable
 */
export async function takeOver(
  context: TakeOverContext,
  owner: ReadUser,
  { profile, groups }: UpstreamUser,
): Promise<User | undefined> {
  const field = customClaimField(context.settings.groups_claim)
  const set = { ...profile, ...(groups && { [field]: JSON.stringify(groups) }) }
  const refreshed = await refreshUser(context, owner, { set })
  if ('user' in refreshed) return refreshed.user
  if (refreshed.problem === 'malformed') throw new ProviderFailure('broken', 'userinfo', 'PROFILE_TOO_LONG')
  return undefined
}

/** Whether somebody is about to lose groups because the claim with them is missing. */
export function losesGroups(
  { settings }: Pick<TakeOverContext, 'settings'>,
  { hash }: ReadUser,
  { lacks_groups }: UpstreamUser,
): boolean {
  const { [customClaimField(settings.groups_claim)]: groups = '[]' } = hash
  return lacks_groups === true && groups !== '[]'
}
