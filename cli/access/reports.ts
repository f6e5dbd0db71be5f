import type { ShownGrant } from '../../src/admin/access/grants.ts'
import type { EndedCount } from '../../src/admin/access/page.ts'
import { count } from '../../src/core/count.ts'
import { allItems, type Calls } from '../calls.ts'
import { JWT_NOTE } from '../end-all.ts'
import { listed, type Report } from '../output.ts'

/** Whose grants they are: all of a user, or all of a client. */
export type Owner = { readonly username: string } | { readonly client_id: string }

/** The command `user sessions`. */
export async function showSessions(calls: Calls, username: string): Promise<Report> {
  const items = await allItems(calls, 'list_sessions', { params: { username } })
  const rows = items.map(
    ({ sid, started_at, last_used_at = '', browser = '', address = '', amr, clients }) => [
      ...[sid, started_at, last_used_at, browser, address, amr.join(' '), clients.join(' ')],
    ],
  )
  const head = ['SID', 'STARTED', 'LAST USED', 'BROWSER', 'ADDRESS', 'AMR', 'CLIENTS']
  const text = listed(head, rows, { none: 'The user is signed in nowhere.', noun: 'session' })
  return { text, json: { items } }
}

/** The commands that list grants. */
export async function showGrants(calls: Calls, owner: Owner): Promise<Report> {
  const items = await ('username' in owner
    ? allItems(calls, 'list_grants_of_user', { params: owner })
    : allItems(calls, 'list_grants_of_client', { params: owner }))
  const head = ['GRANT', 'username' in owner ? 'CLIENT' : 'USER', 'SCOPE', 'STARTED', 'LAST USED', 'EXPIRES']
  const rows = items.map((item) => rowOf(item, owner))
  return { text: listed(head, rows, { none: 'There are no grants.', noun: 'grant' }), json: { items } }
}

function rowOf(item: ShownGrant, owner: Owner): string[] {
  const { grant, username = '', client_id, started_at = '', last_used_at = '', expires_at = '' } = item
  // Of details the types, as events have them.
  const types = new Set((item.authorization_details ?? []).map(({ type }) => `detail:${type}`))
  const scope = [item.scope, ...types].join(' ').trim()
  return [grant, 'username' in owner ? client_id : username, scope, started_at, last_used_at, expires_at]
}

/** The command `session end`. Without `sid` it ends all sessions of the user. */
export async function endSessions(
  { call }: Calls,
  username: string,
  sid: string | undefined,
): Promise<Report> {
  const ended =
    sid === undefined
      ? call('end_sessions', { params: { username } })
      : call('end_session', { params: { username, sid } })
  return endedReport('session', await ended)
}

/** The command `session end-all`. */
export async function endSessionsOfAll({ call }: Calls): Promise<Report> {
  await call('end_all_sessions', { query: { confirm: 'all-sessions' } })
  return { text: `All sessions of all users are ended. ${JWT_NOTE}`, json: { ended: 'all-sessions' } }
}

/** The command `grant end`. */
export async function endGrant({ call }: Calls, grant: string): Promise<Report> {
  return endedReport('grant', await call('end_grant', { params: { grant } }))
}

/** The command `grant end` for all grants of a user or client. */
export async function endGrants({ call }: Calls, owner: Owner): Promise<Report> {
  const ended =
    'username' in owner
      ? call('end_grants_of_user', { params: owner })
      : call('end_grants_of_client', { params: owner })
  return endedReport('grant', await ended)
}

function endedReport(noun: string, { ended }: EndedCount): Report {
  const text = ended === 0 ? 'There was nothing to end.' : `Ended: ${count(ended, noun)}. ${JWT_NOTE}`
  return { text, json: { ended } }
}
