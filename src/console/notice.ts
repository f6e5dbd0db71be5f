import { isObject, parseObject } from '../core/json.ts'
import type { Sealer } from '../keys/sealer.ts'
import { cookieDigest } from '../sessions/browser.ts'
import type { Desk } from './desk.ts'
import { type ConsoleDoneName, doneText } from './pages/done.ts'
import type { Undo } from './rows.ts'

/** What was done just now, as the next page says it. */
export interface Notice {
  readonly text: string
  /** The id of its entry in the audit trail. */
  readonly event?: string
  readonly undo?: Undo
}

/** What an action did: the next page, and what it says. */
interface Did {
  readonly to: string
  readonly done: ConsoleDoneName
  readonly count?: number
  readonly undo?: Undo
}

type SealContext = { readonly sealer: Pick<Sealer, 'seal' | 'open'>; readonly now: () => number }

/** How long something can be undone from the page that says it, in milliseconds. */
const UNDO_FOR = 600_000
/** A longer one does not fit into an address: then there is only the form of the action. */
const MAX_UNDO = 4000
const EVENT_ID = /^\d{1,15}-\d{1,15}$/
/** How much the clocks of storage and this process may differ, in milliseconds. */
const CLOCKS = 60_000

/**
 * Returns the path and query of the next page. What takes it back is sealed for this session: nobody makes a link with
 * another one.
 * @param event the id of the entry in the audit trail; undefined: it is not there yet, or not to be seen
 */
export function addressOf(
  { sealer, now }: SealContext,
  cookie: string,
  { to, done, count, undo }: Did,
  event: string | undefined,
): string {
  const kept = undo && { ...undo, digest: cookieDigest(cookie), ends_at: now() + UNDO_FOR }
  const sealed = kept && sealer.seal('console-undo', JSON.stringify(kept))
  const query = new URLSearchParams({
    done,
    ...(count !== undefined && { n: String(count) }),
    ...(event !== undefined && { entry: event }),
    ...(sealed !== undefined && sealed.length <= MAX_UNDO && { undo: sealed }),
  })
  return `${to}${to.includes('?') ? '&' : '?'}${query.toString()}`
}

/** Returns what the query of an address says was done; undefined: nothing. */
export function readNotice(
  { sealer, now }: SealContext,
  cookie: string,
  { done, n, entry = '', undo = '' }: Readonly<Record<string, string | undefined>>,
): Notice | undefined {
  const text = doneText(done, n)
  if (text === undefined) return undefined
  const kept = parseObject(sealer.open('console-undo', undo) ?? '') ?? {}
  const { digest, ends_at, path, fields } = kept
  const counts = digest === cookieDigest(cookie) && Number(ends_at) > now() && isObject(fields)
  return {
    text,
    ...(EVENT_ID.test(entry) && { event: entry }),
    ...(counts && { undo: { path: String(path), fields: fields as Record<string, string> } }),
  }
}

/**
 * Returns the id of the newest entry of a request in the audit trail; undefined: there is none yet.
 * @throws StorageUnavailable
 */
export async function entryOfRequest(desk: Desk, request_id: string): Promise<string | undefined> {
  // Nobody may know, or there is no trail.
  if (!desk.may('list_events') || desk.refusal('list_events') !== undefined) return undefined
  const since = new Date(Math.max(0, desk.now - CLOCKS)).toISOString()
  const { body } = await desk.ask('list_events', { query: { request_id, since, limit: '1' } })
  return body.items[0]?.id
}
