import type { CustomClaims } from '../core/custom-claims.ts'

/** Groups that ended because their provider did not say them again, and where it would. */
export interface LapsedGroups {
  readonly provider: string
  /** Whether the person can still come back by it. */
  readonly is_linked: boolean
  readonly claims: CustomClaims
}

/**
 * The form of the field `groups_from` of a user record: until when, the provider, the claim, a digest of the groups,
 * the link.
 */
export const GROUPS_FROM = /^(\d{1,15}) (\S+) (\S+) (\S+) (\S+)$/

/** Returns why a text does not say whose groups they are; undefined if it does. */
export function providedGroupsProblem(text: string): string | undefined {
  return GROUPS_FROM.test(text) ? undefined : 'must be a time, a provider, a claim, a digest and a link'
}
