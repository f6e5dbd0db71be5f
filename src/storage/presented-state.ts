import type { Hash } from '../core/record-hash.ts'
import { isOfRefreshFamily } from './family-digests.ts'

/** In which state a presented refresh token can be: docs/decisions/0075 has what a refresh does in each. */
export const PRESENTED_STATES = ['live', 'just_spent', 'earlier', 'unknown'] as const
export type PresentedState = (typeof PRESENTED_STATES)[number]

/**
 * Returns the state of a presented refresh token in its family, as the include state_of.
 * @param record its record; undefined: it has none
 * @param secret its secret part, as the grant record names it
 */
export function presentedState(
  record: Hash | undefined,
  family: Hash,
  token: string,
  secret: string,
): PresentedState {
  if (record !== undefined) return 'live'
  if (family.spent_token === secret) return 'just_spent'
  // The one in use can expire unused, and is no earlier one.
  return family.refresh_token !== secret && isOfRefreshFamily(family, token) ? 'earlier' : 'unknown'
}
