import { setTimeout as delay } from 'node:timers/promises'
import { readEnabledClient } from '../src/clients/client-registry.ts'
import { SILENT } from '../src/core/log.ts'
import { endSessionById } from '../src/sessions/end-session.ts'
import { type Ended, endAllOf, sessionsOf } from '../src/sessions/session-store.ts'
import type { Holder, UserNames } from '../src/storage/families.ts'
import type { Storage } from '../src/storage/storage.ts'
import { Refusal } from './errors.ts'
import { count } from './output.ts'
import type { Opened } from './run.ts'

/** How long servers may use a record after it changed, in milliseconds. */
const HONOURED_WITHIN = 1000
const MAX_PASSES = 4

/** Said of what cannot be ended by changing records. */
export const JWTS_STAY = 'An API that verifies JWT access tokens by itself accepts them until they expire.'

/**
 * Ends everything that a client or user holds. Its record must have been changed before, so that servers issue nothing
 * new. Repeats until it finds nothing that a server wrote in the meantime.
 * @throws Refusal if it still finds something after MAX_PASSES passes
 */
export async function endAllUntilNone(
  store: Pick<Storage, 'records' | 'families'>,
  holder: Holder,
): Promise<Ended> {
  const ended = { sessions: 0, grants: 0, codes: 0, tokens: 0 }
  for (let pass = 1; pass <= MAX_PASSES; pass += 1) {
    if (pass > 1) await delay(HONOURED_WITHIN)
    const { sessions, grants, codes, tokens } = await endAllOf(store, holder)
    ended.sessions += sessions
    ended.grants += grants
    ended.codes += codes
    ended.tokens += tokens
    if (pass > 1 && sessions + grants + codes + tokens === 0) return ended
  }
  throw new Refusal(
    `The record is changed. ${sayEnded(ended)} More keeps coming, though: find out where from, and repeat the command.`,
  )
}

/**
 * Ends everything that a user holds, as endAllOf does. Sessions end as by a logout: servers notify the clients of each.
 * @throws Refusal if it still finds something after MAX_PASSES passes
 */
export async function endAllOfUser({ storage, config }: Opened, user: UserNames): Promise<Ended> {
  const clients = { find: (client_id: string) => readEnabledClient(storage, SILENT, client_id) }
  const context = { storage, settings: config.settings, clients, log: SILENT }
  let sessions = 0
  for await (const id of sessionsOf(storage, user)) {
    if ((await endSessionById(context, id)) !== undefined) sessions += 1
  }
  const ended = await endAllUntilNone(storage, user)
  return { ...ended, sessions: ended.sessions + sessions }
}

/** Says in a sentence what was ended. */
export function sayEnded({ sessions, grants, codes, tokens }: Ended): string {
  const parts = [
    ...(sessions > 0 ? [count(sessions, 'session')] : []),
    ...(grants > 0 ? [count(grants, 'sign-in')] : []),
    ...(codes > 0 ? [count(codes, 'unredeemed code')] : []),
    ...(tokens > 0 ? [`${count(tokens, 'token')} of no sign-in`] : []),
  ]
  return parts.length === 0 ? 'Nothing was left to end.' : `Ended: ${parts.join(', ')}.`
}
