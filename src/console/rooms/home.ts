import { madeOnce } from '../../core/made-once.ts'
import { html } from '../../pages/html.ts'
import { acts } from '../pages/actions.ts'
import { notice } from '../pages/notices.ts'
import { panel } from '../pages/panel.ts'
import { badge, link } from '../pages/parts.ts'
import { eventRows } from '../pages/sentences.ts'
import type { ConsolePage } from '../rows.ts'
import { refusalRows } from './explain.ts'
import { lastDay, whyRefused } from './home-day.ts'
import { asked, askKnown, lookedAt, needRows, needsOf, needTitle } from './home-todo.ts'

const LATEST = '5'
const date = madeOnce(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }))

/** The start of the console: what needs an operator, the last day, why requests were refused, and what changed. */
const home: ConsolePage = {
  path: '',
  async show(desk) {
    const keeps_events = desk.refusal('list_events') === undefined
    const [known, day, refusals, changes] = await Promise.all([
      askKnown(desk),
      asked(desk, 'read_day'),
      asked(desk, 'list_explanations', { query: { last: LATEST } }),
      keeps_events
        ? asked(desk, 'list_events', { query: { changed_by: 'operators', limit: LATEST } })
        : undefined,
    ])
    const { upkeep } = known
    const needs = needsOf(desk, known)
    const looked = upkeep === undefined ? '' : html`<span>${lookedAt(desk, upkeep)}</span>`
    const all = desk.may('read_server') ? link(desk, '/server', 'All checks') : ''
    return {
      title: 'Home',
      section: 'home',
      head: {
        lead: `${date().format(desk.now)}, times in UTC`,
        actions: acts(desk, [
          { path: '/people/new', label: 'Add person', operation: 'create_user', icon: 'plus' },
          { path: '/applications/new', label: 'New application', operation: 'create_client', icon: 'plus' },
        ]),
      },
      body: html`${
        needs.length === 0
          ? notice('good', html`<b>All is well.</b> <span class="quiet">${looked}</span>`, all)
          : panel(
              {
                title: needTitle(needs),
                action: all,
                foot: html`<span>${badge('All else is well', 'good')}</span>${looked}`,
              },
              needRows(desk, needs),
            )
      }
${day === undefined ? '' : lastDay(day)}
<div class="two even">
${day !== undefined ? whyRefused(desk, day) : refusals === undefined ? '' : panel({ title: 'Refused lately', action: link(desk, '/explain', 'All refusals') }, refusalRows(desk, refusals.items))}
${
  changes === undefined
    ? ''
    : panel(
        { title: 'What changed', action: link(desk, '/events', 'All events') },
        changes.items.length === 0 ? html`<p>Nothing yet.</p>` : eventRows(desk, changes.items),
      )
}
</div>`,
    }
  },
}

export const HOME_PAGES: readonly ConsolePage[] = [home]
