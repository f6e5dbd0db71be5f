import type { Client } from '../clients/record/client-record.ts'
import type { Settings } from '../config/settings.ts'
import type { Facts } from '../core/reasons.ts'
import type { User } from './user-record.ts'

/** The setting that says which claim of a user names the groups. */
export type GroupSettings = Pick<Settings, 'groups_claim'>

/**
 * Whether a user may use a client: everybody, or the members of its groups. Every path to a client asks this.
 * @param user undefined: there is no account, and so no group
 */
export function mayUse(
  { allowed_groups }: Pick<Client, 'allowed_groups'>,
  user: Pick<User, 'custom_claims'> | undefined,
  settings: GroupSettings,
): boolean {
  if (allowed_groups === undefined) return true
  const groups = new Set(user && groupsOf(user, settings))
  return allowed_groups.some((name) => groups.has(name))
}

/** What explains that a user may not use a client: the groups that there are, and those that may. */
export function accessFacts(
  { allowed_groups = [] }: Pick<Client, 'allowed_groups'>,
  user: Pick<User, 'custom_claims'> | undefined,
  settings: GroupSettings,
): { received: Facts; expected: Facts } {
  const groups = user === undefined ? [] : groupsOf(user, settings)
  return { received: { groups }, expected: { allowed_groups } }
}

/** Returns the groups of a user: the texts of the claim, a list or one text. A claim of another form names none. */
export function groupsOf(
  { custom_claims }: Pick<User, 'custom_claims'>,
  { groups_claim }: GroupSettings,
): readonly string[] {
  const claim = custom_claims[groups_claim] ?? []
  const entries: readonly unknown[] = Array.isArray(claim) ? claim : [claim]
  return entries.every((entry) => typeof entry === 'string') ? entries : []
}

/**
 * Whether a sign-in is strong enough for a client (`required_acr`). Every path to a client asks this, of what exists too.
 * @param acr undefined: nobody says how the user signed in
 */
export function suffices({ required_acr }: Pick<Client, 'required_acr'>, acr: string | undefined): boolean {
  return required_acr === undefined || (acr !== undefined && required_acr.includes(acr))
}
