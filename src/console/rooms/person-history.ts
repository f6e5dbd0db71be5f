import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { panel, rows } from '../pages/panel.ts'
import { link, when } from '../pages/parts.ts'
import { sentence } from '../pages/sentences.ts'

const SHOWN = '6'

/** What happened to a person lately; empty: nobody keeps it, or the operator may not see it. */
export async function historyPanel(desk: Desk, username: string): Promise<Html | ''> {
  if (!desk.may('list_events') || desk.refusal('list_events') !== undefined) return ''
  const { body } = await desk.ask('list_events', { query: { username, limit: SHOWN } })
  const shown = body.items.map((entry) => ({
    name: sentence(desk, entry),
    is_plain: true as const,
    action: html`<span class="quiet nowrap">${when(entry.at, desk)}</span>`,
  }))
  const query = new URLSearchParams({ username }).toString()
  return panel(
    { title: 'What happened', action: link(desk, `/events?${query}`, 'All events') },
    shown.length === 0 ? html`<p class="empty">Nothing that is kept.</p>` : rows(shown),
  )
}
