import { setTimeout as delay } from 'node:timers/promises'
import { count } from '../core/count.ts'
import { type Ended, endAllOf } from '../sessions/session-store.ts'
import type { Holder } from '../storage/families.ts'
import type { Storage } from '../storage/storage.ts'
import { AdminError } from './problem.ts'

/** How long servers may use the old record after a change, in milliseconds. */
const CHANGE_DELAY = 1000
const MAX_PASSES = 4

/**
 * Ends the sessions and revokes the codes and tokens of a client or user. Change the record first, so that servers issue
 * no new ones. Repeats until a pass finds none that a server wrote in the meantime.
 * @throws AdminError `conflict` if the last of MAX_PASSES passes still finds some; StorageUnavailable
 */
export async function endAllOfHolder(
  store: Pick<Storage, 'records' | 'families'>,
  holder: Holder,
): Promise<Ended> {
  const ended = { sessions: 0, grants: 0, codes: 0, tokens: 0 }
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    if (pass > 1) await delay(CHANGE_DELAY)
    const { sessions, grants, codes, tokens } = await endAllOf(store, holder)
    ended.sessions += sessions
    ended.grants += grants
    ended.codes += codes
    ended.tokens += tokens
    if (pass > 1 && sessions + grants + codes + tokens === 0) return ended
  }
  throw new AdminError(
    'conflict',
    `The record is changed. ${describeEnded(ended)} New sessions, codes or tokens are still being issued: find out by which server, and repeat this.`,
  )
}

/** Returns a sentence with the numbers of what was ended. */
export function describeEnded({ sessions = 0, grants = 0, codes = 0, tokens = 0 }: Partial<Ended>): string {
  const parts = [
    ...(sessions > 0 ? [count(sessions, 'session')] : []),
    ...(grants > 0 ? [count(grants, 'sign-in')] : []),
    ...(codes > 0 ? [count(codes, 'unredeemed code')] : []),
    ...(tokens > 0 ? [`${count(tokens, 'token')} without a sign-in`] : []),
  ]
  return parts.length === 0 ? 'There was nothing to end.' : `Ended: ${parts.join(', ')}.`
}
