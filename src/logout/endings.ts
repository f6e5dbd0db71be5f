import { grantsOf } from '../tokens/listed-grants.ts'
import {
  endAccess,
  endActingFor,
  endAsserted,
  endBegunBefore,
  endListed,
  endRemovedClient,
  sessionMatcher,
} from './end-grants.ts'
import { endAllSessions, endOthers, endSessionsBefore, endUpstream } from './end-listed-sessions.ts'
import type { EndingsContext } from './ending-parts.ts'
import { ENDINGS, type Ending, parseEnding } from './endings-queue.ts'

/** How long, in seconds, nobody else does a piece of work that its worker does not go on with. */
const LEASE = 60
// In milliseconds.
const RENEW_AFTER = 20_000

/**
 * Does work that waits, one piece after the other, until there is none. A piece stays in the queue until it is done: if this
 * process ends, another one begins it again.
 * @param goesOn whether to go on; asked after each part
 * @throws StorageUnavailable
 */
export async function workOffEndings(context: EndingsContext, goesOn = () => true): Promise<void> {
  const { storage, log } = context
  for (;;) {
    const [item] = await storage.queue.claim(ENDINGS, 1, LEASE)
    if (item === undefined) return
    const ending = parseEnding(item)
    if (ending === undefined) log.warn({}, 'A malformed piece of work was removed from the queue of endings.')
    const renewal = setInterval(() => {
      // If it fails, another server does the same once more, which changes nothing.
      storage.queue.retryLater(ENDINGS, { item, replacement: item, delay: LEASE }).catch(() => {})
    }, RENEW_AFTER).unref()
    try {
      for await (const _ of ending === undefined ? [] : partsOf(context, ending)) if (!goesOn()) return
    } finally {
      clearInterval(renewal)
    }
    await storage.queue.finish(ENDINGS, item)
  }
}

/** Ends what a piece of work is about; yields after each part. */
async function* partsOf(context: EndingsContext, ending: Ending): AsyncGenerator<void> {
  switch (ending.what) {
    case 'sessions':
      yield* endSessionsBefore(context, ending.username, ending.before)
      return
    case 'grants':
      yield* endBegunBefore(context, grantsOf({ username: ending.username }), ending.before)
      return
    case 'client':
      yield* endBegunBefore(context, grantsOf({ client_id: ending.client_id }), ending.before)
      return
    case 'session': {
      const { username, sid } = ending
      const isOfSession = sessionMatcher(context, sid)
      yield* endListed(context, grantsOf({ username }), isOfSession)
      return
    }
    case 'other_sessions':
      yield* endOthers(context, ending)
      return
    case 'upstream_sessions':
      yield* endUpstream(context, ending)
      return
    case 'asserted':
      yield* endAsserted(context, ending)
      return
    case 'access':
      yield* endAccess(context, ending)
      return
    case 'acting':
      yield* endActingFor(context, ending)
      return
    case 'removed_client':
      yield* endRemovedClient(context, ending)
      return
    default:
      yield* endAllSessions(context, ending.before)
  }
}
