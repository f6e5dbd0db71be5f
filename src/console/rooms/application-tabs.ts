import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { at } from '../pages/parts.ts'

/** The links between the pages of an application. @param current the end of the path of the page that links */
export function applicationTabs(desk: Desk, client_id: string, current: string): Html {
  const page = at`/applications/${client_id}`
  const query = new URLSearchParams({ client_id }).toString()
  const tab = (path: string, label: string, is_current: boolean) =>
    html`<a href="${desk.base}${path}"${is_current ? html` aria-current="page"` : ''}>${label}</a>\n`
  const own = [
    ['', 'Overview'],
    ['/settings', 'Connect'],
    ['/grants', 'People with access'],
    ['/try', 'Try the sign-in'],
  ].map(([end = '', label = '']) => tab(page + end, label, end === current))
  return html`<nav class="tabs" aria-label="${client_id}">
${own}${desk.may('explain_connection') ? tab(`${page}/connection`, 'Connection', current === '/connection') : ''}${desk.may('list_explanations') ? tab(`/explain?${query}`, 'Refusals', false) : ''}${desk.may('list_events') ? tab(`/events?${query}`, 'Events', false) : ''}</nav>
`
}
