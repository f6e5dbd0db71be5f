import type { Settings } from '../config/settings.ts'
import type { ReportEvent } from '../core/events.ts'
import type { Hash } from '../core/record-hash.ts'
import type { Storage } from '../storage/storage.ts'
import { customClaimField } from '../users/custom-claims.ts'
import type { ReadUser } from '../users/owner-of-address.ts'
import { formatProvided, providedFields } from '../users/provided-groups.ts'
import { refreshUser } from '../users/refresh-user.ts'
import type { User } from '../users/user-record.ts'
import type { Provider } from './provider-record.ts'
import { ProviderFailure, type UpstreamUser } from './upstream.ts'

/** What it takes to take over what a provider says. */
interface TakeOverContext {
  readonly storage: Storage
  readonly report: ReportEvent
  readonly settings: Pick<Settings, 'groups_claim'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Takes over the profile and the groups that a provider says at a sign-in.
 * @returns the user as it is then; undefined: it changed meanwhile
 * @throws ProviderFailure if that does not fit into the record; StorageUnavailable
 */
export async function takeOver(
  context: TakeOverContext,
  provider: Provider,
  owner: ReadUser,
  upstream: UpstreamUser,
): Promise<User | undefined> {
  const groups = groupFields(context, provider, upstream)
  // Its record names no claim any more: what it said before would never be said again.
  const unset = groups === undefined ? providedFields(owner.user, provider.provider) : []
  const refreshed = await refreshUser(context, owner, { set: { ...upstream.profile, ...groups }, unset })
  if ('user' in refreshed) return refreshed.user
  if (refreshed.problem === 'malformed') throw new ProviderFailure('broken', 'userinfo', 'PROFILE_TOO_LONG')
  return undefined
}

/** The fields with the groups that a provider says; undefined: its record takes none. */
export function groupFields(
  { settings, now }: Pick<TakeOverContext, 'settings' | 'now'>,
  { provider, groups_ttl }: Provider,
  { link, groups }: UpstreamUser,
): Hash | undefined {
  if (groups === undefined) return undefined
  // Not each sign-in writes: the end moves by a twentieth of the time.
  const step = groups_ttl * 50
  const until = Math.floor((now() + groups_ttl * 1000) / step) * step
  return formatProvided({ provider, claim: settings.groups_claim, groups, link, until })
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
