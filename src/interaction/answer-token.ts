// What proves that an answer belongs to the page, or the visit to another site, that asked for it.
import { csrfToken, sameText } from '../sessions/browser.ts'
import type { SessionRecord } from '../sessions/session-record.ts'
import type { PendingRecord } from './pending-record.ts'

/** What an answer is bound to: the browser, the pending request, and the session at the time of the question. */
export interface AnswerBinding {
  readonly browser_id: string
  readonly pending: Pick<PendingRecord, 'id'>
  readonly session: Pick<SessionRecord, 'sid'> | undefined
}

/** What the form of a page sends as `csrf`. */
export function csrfOf({ browser_id, pending, session }: AnswerBinding): string {
  return csrfToken(browser_id, pending.id, session?.sid)
}

/** What another site sends back at the end of `state`. It learns this, so it must be of no use as `csrf`. */
export function siteTokenOf({ browser_id, pending, session }: AnswerBinding): string {
  return csrfToken(browser_id, `site ${pending.id}`, session?.sid)
}

/** Whether an answer belongs to this browser, request and session. */
export function isAnswerTo(
  asked: AnswerBinding,
  { from, token }: { readonly from: 'page' | 'site'; readonly token: string },
): boolean {
  return sameText(token, from === 'page' ? csrfOf(asked) : siteTokenOf(asked))
}
