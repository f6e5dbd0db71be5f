import { setTimeout as delay } from 'node:timers/promises'
import { readEnabledClient } from '../src/clients/client-registry.ts'
import { SILENT } from '../src/core/log.ts'
import { endSessionById } from '../src/sessions/end-session.ts'
import { type Ended, endAllOf, sessionsOf } from '../src/sessions/session-store.ts'
import type { Holder, UserNames } from '../src/storage/families.ts'
import type { Storage } from '../src/storage/storage.ts'
import { Refusal } from './errors.ts'
import { count } from './output.ts'
import type { CommandContext } from './run.ts'

/** How long servers may use the old record after a change, in milliseconds. */
const CHANGE_DELAY = 1000
const MAX_PASSES = 4

/** The note in reports that some tokens cannot be revoked everywhere. */
export const JWT_NOTE = 'An API that verifies JWT access tokens locally accepts them until they expire.'

/**
 * Ends the sessions and revokes the codes and tokens of a client or user. Change the record first, so that servers issue
 * no new ones. Repeats until a pass finds none that a server wrote in the meantime.
 * @throws Refusal if the last of MAX_PASSES passes still finds some
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
  throw new Refusal(
    `The record is changed. ${describeEnded(ended)} New sessions, codes or tokens are still being issued: find out by which server, and repeat the command.`,
  )
}

/**
 * Ends the sessions and revokes the codes and tokens of a user. Servers notify the clients of each session, as after a
 * logout.
 * @throws Refusal as endAllOfHolder
 */
export async function endAllOfUser({ storage, config }: CommandContext, user: UserNames): Promise<Ended> {
  const reading = { storage, settings: config.settings, log: SILENT }
  const clients = { find: (client_id: string) => readEnabledClient(reading, client_id) }
  const context = { ...reading, clients }
  let sessions = 0
  for await (const id of sessionsOf(storage, user)) {
    if ((await endSessionById(context, id)) !== undefined) sessions += 1
  }
  const ended = await endAllOfHolder(storage, user)
  return { ...ended, sessions: ended.sessions + sessions }
}

/** Returns a sentence with the numbers of what was ended. */
export function describeEnded({ sessions, grants, codes, tokens }: Ended): string {
  const parts = [
    ...(sessions > 0 ? [count(sessions, 'session')] : []),
    ...(grants > 0 ? [count(grants, 'sign-in')] : []),
    ...(codes > 0 ? [count(codes, 'unredeemed code')] : []),
    ...(tokens > 0 ? [`${count(tokens, 'token')} without a sign-in`] : []),
  ]
  return parts.length === 0 ? 'There was nothing to end.' : `Ended: ${parts.join(', ')}.`
}
