import type { NewestSessionAnswer } from '../../admin/access/newest-sessions.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { filters, line } from '../pages/fields.ts'
import { at, code, link, offers, older, short, table, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'

/** Sessions of several people, the newest first. */
export function sessionTable(desk: Desk, items: readonly NewestSessionAnswer[]): Html {
  return table(
    'The newest sessions, the latest sign-in first',
    ['Who', 'Browser', 'Address', 'Started', 'Last used', 'By', 'Applications', 'What you can do'],
    items.map(({ username, sid, browser, address, started_at, last_used_at, amr, clients }) => [
      link(desk, at`/people/${username}/sessions`, short(username)),
      short(browser ?? 'an unknown browser'),
      code(address ?? ''),
      when(started_at, desk),
      when(last_used_at ?? started_at, desk),
      amr.join(' '),
      html`${text(clients.join(', '))}`,
      desk.may('end_session') ? link(desk, at`/people/${username}/sessions/${sid}/end`, 'End') : '',
    ]),
    'No session is like this among the newest.',
  )
}

/** The newest sessions of everybody. Those of one person alone are on a page of theirs, which has all of them. */
const newest: ConsolePage = {
  path: '/sessions',
  operation: 'list_newest_sessions',
  async show(desk, { query: { username, client_id, address, cursor } }) {
    if (username && !client_id && !address) return { to: at`/people/${username}/sessions` }
    const filter = { username, client_id, address }
    const { body } = await desk.ask('list_newest_sessions', {
      query: { ...filter, cursor },
    })
    const fields = html`${line({ name: 'username', label: 'Username', value: username, hint: 'Alone, it shows all sessions of this person' })}${line({ name: 'client_id', label: 'Client id', value: client_id })}${line({ name: 'address', label: 'Address', value: address, hint: 'As the list shows it' })}`
    return {
      title: 'Sessions',
      section: 'sessions',
      body: html`${filters(`${desk.base}/sessions`, fields)}
<p class="empty">Of the last 1000 sign-ins while the console was on, these still go on. The page of a person has all sessions of that person.</p>
${sessionTable(desk, body.items)}
${older(desk, '/sessions', filter, body.next)}
${offers(desk, [{ label: 'End all sessions of everybody', path: '/sessions/end-all', operation: 'end_all_sessions' }], 'redmint:users:write')}`,
    }
  },
}

export const NEWEST_SESSION_PAGES: readonly ConsolePage[] = [newest]
