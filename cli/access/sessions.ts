import type { EndedCount } from '../../src/admin/access/page.ts'
import type { SessionAnswer } from '../../src/admin/access/sessions.ts'
import { count } from '../../src/core/count.ts'
import { allItems, type Calls } from '../calls.ts'
import { type Report, table } from '../output.ts'
import { when } from './when.ts'

/** The command `user sessions`. */
export async function showSessions(calls: Calls, username: string): Promise<Report> {
  const sessions = await allItems<SessionAnswer>(calls, 'list_sessions', { params: { username } })
  const rows = sessions.map((session) => [
    session.sid,
    session.browser ?? '',
    session.address ?? '',
    when(session.started_at, calls.now),
    when(session.last_used_at, calls.now),
    session.amr.join(' '),
    session.clients.join(' '),
  ])
  const head = ['SID', 'BROWSER', 'ADDRESS', 'STARTED', 'LAST USED', 'SIGNED IN BY', 'CLIENTS']
  return {
    text: sessions.length === 0 ? 'The user is signed in nowhere.' : table(head, rows),
    json: { sessions },
  }
}

/** The command `session end`. `sid` undefined: all sessions of the user. */
export async function endSessions(
  { call }: Calls,
  username: string,
  sid: string | undefined,
): Promise<Report> {
  const { ended } = await (sid === undefined
    ? call<EndedCount>('end_sessions', { params: { username } })
    : call<EndedCount>('end_session', { params: { username, sid } }))
  const text =
    ended === 0
      ? 'The user had no session.'
      : `Ended: ${count(ended, 'session')}, with all tokens. Clients are told as at a logout.`
  return { text, json: { username, ended } }
}

/** The command `session end-all`. */
export async function endEverySession({ call }: Calls): Promise<Report> {
  await call('end_all_sessions', { query: { confirm: 'all-sessions' } })
  return {
    text: 'All sessions of all users are ended, with their tokens. Clients are told as at a logout.',
    json: { ended: 'all' },
  }
}
