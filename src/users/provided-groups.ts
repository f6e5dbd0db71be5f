import { hash } from 'node:crypto'
import type { Hash } from '../core/record-hash.ts'
import { customClaimField } from './custom-claims.ts'
import { GROUPS_FROM } from './groups-from.ts'
import type { User } from './user-record.ts'

/** The field of a user record that says which provider said the groups, and until when they count. */
export const PROVIDED_GROUPS = 'groups_from'

/** The groups that a provider says of somebody at a sign-in. */
export interface ProvidedGroups {
  readonly provider: string
  /** The claim that has them here. */
  readonly claim: string
  readonly groups: readonly string[]
  /** The link of the person at the provider: without it, the groups end. */
  readonly link: string
  /** Until when they count, in milliseconds since 1970. */
  readonly until: number
}

/** Returns the fields of a user record that have groups of a provider. */
export function formatProvided({ provider, claim, groups, link, until }: ProvidedGroups): Hash {
  const json = JSON.stringify(groups)
  return {
    [customClaimField(claim)]: json,
    [PROVIDED_GROUPS]: [until, provider, claim, digestOf(json), link].join(' '),
  }
}

/** Returns the fields of groups that this provider said before, which are to go if it says none any more. */
export function providedFields({ groups_from }: Pick<User, 'groups_from'>, provider: string): string[] {
  const [, , by, claim = ''] = GROUPS_FROM.exec(groups_from ?? '') ?? []
  return by === provider ? [customClaimField(claim), PROVIDED_GROUPS] : []
}

/**
 * Whether fields of a record that somebody else says have the groups of a provider in them: then they are not its any
 * more.
 */
export function replacesProvided({ groups_from }: Pick<User, 'groups_from'>, set: Hash): boolean {
  const [, , , claim] = GROUPS_FROM.exec(groups_from ?? '') ?? []
  const has_groups = claim !== undefined && Object.hasOwn(set, customClaimField(claim))
  return has_groups && !Object.hasOwn(set, PROVIDED_GROUPS)
}

/**
 * Returns a user as it counts at a time: without groups of a provider that have ended. Groups that somebody else wrote
 * have no end, nor do those of a user whom a file declares.
 * @param now milliseconds since 1970
 */
export function asOf(user: User, now: number): User {
  const { groups_from, custom_claims, linked_subjects = [], managed_by } = user
  if (groups_from === undefined || managed_by !== undefined) return user
  const [, until, provider = '', claim = '', digest, link = ''] = GROUPS_FROM.exec(groups_from) ?? []
  const is_linked = linked_subjects.includes(link)
  if (now < Number(until) && is_linked) return user
  const { [claim]: groups, ...others } = custom_claims
  if (groups === undefined || digestOf(JSON.stringify(groups)) !== digest) return user
  return { ...user, custom_claims: others, lapsed: { provider, is_linked, claims: { [claim]: groups } } }
}

const digestOf = (json: string) => hash('sha256', json, 'base64url')
