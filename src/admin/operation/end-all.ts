import { count } from '../../core/count.ts'
import type { EndedCounts } from '../../sessions/session-store.ts'

/** Returns a sentence with the numbers of what was ended. */
export function describeEnded({
  sessions = 0,
  grants = 0,
  codes = 0,
  tokens = 0,
}: Partial<EndedCounts>): string {
  const parts = [
    ...(sessions > 0 ? [count(sessions, 'session')] : []),
    ...(grants > 0 ? [count(grants, 'sign-in')] : []),
    ...(codes > 0 ? [count(codes, 'unredeemed code')] : []),
    ...(tokens > 0 ? [`${count(tokens, 'token')} without a sign-in`] : []),
  ]
  return parts.length === 0 ? 'There was nothing to end.' : `Ended: ${parts.join(', ')}.`
}
