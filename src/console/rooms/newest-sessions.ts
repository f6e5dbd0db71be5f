import { isIP } from 'node:net'
import type { NewestSessionAnswer } from '../../admin/access/newest-sessions.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { act, dangerZone } from '../pages/actions.ts'
import { filterChips, findBox, listHead } from '../pages/chips.ts'
import { howText } from '../pages/how.ts'
import { sheet } from '../pages/panel.ts'
import { at, older, short, table, text, when } from '../pages/parts.ts'
import { face } from '../pages/person.ts'
import type { ConsolePage } from '../rows.ts'

/** Sessions of several people, the newest first. */
export function sessionTable(desk: Desk, items: readonly NewestSessionAnswer[]): Html {
  return table(
    'Sessions, the latest sign-in first',
    [
      'Who',
      { label: 'Browser', is_minor: true },
      { label: 'Applications', is_minor: true },
      { label: 'Signed in', is_minor: true },
      { label: 'Action', is_number: true, is_silent: true },
    ],
    items.map(
      ({ username, name = username, sid, browser, address, started_at, last_used_at, amr, clients }) => [
        html`<div class="who">${face(name)}<div><a class="name" href="${desk.base}${at`/people/${username}/sessions`}">${short(name)}</a><small>used ${when(last_used_at ?? started_at, desk)}</small></div></div>`,
        html`${short(browser ?? 'An unknown browser')}<br><small class="quiet">${text(address ?? '')}</small>`,
        text(clients.join(', ')),
        html`${when(started_at, desk)}<br><small class="quiet">${howText(amr)}</small>`,
        act(desk, {
          path: at`/people/${username}/sessions/${sid}/end`,
          label: 'End',
          operation: 'end_session',
          says: `End the session of ${name}`,
        }),
      ],
    ),
    'No session is like this among the newest.',
  )
}

/** The newest sessions of everybody. Those of one person alone are on a page of theirs, which has all of them. */
const newest: ConsolePage = {
  path: '/sessions',
  operation: 'list_newest_sessions',
  async show(desk, { query: { who = '', cursor, ...query } }) {
    const typed = who.trim()
    const username = query.username || (isIP(typed) === 0 ? typed : '')
    const address = query.address || (isIP(typed) === 0 ? '' : typed)
    const { client_id } = query
    if (username && !client_id && !address) return { to: at`/people/${username}/sessions` }
    const filter = { username, client_id, address }
    const { body } = await desk.ask('list_newest_sessions', { query: { ...filter, cursor } })
    const box = findBox({
      action: `${desk.base}/sessions`,
      name: 'who',
      label: 'Username or IP address',
      value: username || address,
      kept: { client_id },
    })
    const chips =
      client_id || address
        ? filterChips('Which sessions', [
            { label: 'All', href: `${desk.base}/sessions` },
            {
              label: [client_id && `of ${client_id}`, address && `from ${address}`].filter(Boolean).join(' '),
              href: `${desk.base}/sessions?${new URLSearchParams({ client_id: client_id ?? '', address }).toString()}`,
              is_current: true,
            },
          ])
        : ''
    const foot = html`<span>Of the last 1000 sign-ins while the console was on, those that still go on. The page of a person has all sessions of that person.</span>${older(desk, '/sessions', filter, body.next, 'Next')}`
    return {
      title: 'Sessions',
      section: 'sessions',
      head: { lead: 'Browsers in which somebody is signed in.' },
      body: html`${listHead(box, chips)}${sheet(sessionTable(desk, body.items), foot)}
${dangerZone(desk, [
  {
    path: '/sessions/end-all',
    label: 'Sign everybody out',
    operation: 'end_all_sessions',
    does: 'Ends all sessions and tokens of everybody, yours as well. For a stolen key or a breach.',
  },
])}`,
    }
  },
}

export const NEWEST_SESSION_PAGES: readonly ConsolePage[] = [newest]
