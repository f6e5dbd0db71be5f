import type { AnswerOf, BareName } from '../../admin/operations.ts'
import { html } from '../../pages/html.ts'
import type { Desk, OperationInput } from '../desk.ts'
import { badge, facts, link, part } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import { refusalTable } from './explain.ts'
import { lastDay } from './home-day.ts'
import { lookedAt, toDo } from './home-todo.ts'

const LATEST = '10'

/** The start of the console: is it well, what was refused lately, and what to do next. */
const home: ConsolePage = {
  path: '',
  async show(desk) {
    const [keys, mails, limits, upkeep, faults, day, refusals] = await Promise.all([
      asked(desk, 'list_keys'),
      asked(desk, 'list_mails'),
      asked(desk, 'list_limits'),
      asked(desk, 'read_upkeep'),
      asked(desk, 'list_third_party_faults'),
      asked(desk, 'read_day'),
      asked(desk, 'list_explanations', { query: { last: LATEST } }),
    ])
    const todo = toDo(desk, { keys, mails, limits, upkeep, faults })
    const next = html`<ul>
${todo.map((item) => html`<li>${item}</li>\n`)}</ul>`
    return {
      title: 'Home',
      section: 'home',
      body: html`${part(
        'Is it well',
        html`${facts([
          ['Storage', badge('answers', 'good')],
          ['Signing keys', keys && String(keys.items.length)],
          ['Mail', mails?.off],
          ['Mail that waits', mails && String(mails.items.filter(({ state }) => state === 'waiting').length)],
          [
            'Mail that was refused',
            mails && String(mails.items.filter(({ state }) => state === 'refused').length),
          ],
          ['Lockouts in force', limits && String(limits.items.length)],
        ])}${desk.may('read_server') ? html`<p>${link(desk, '/server', 'Examine the servers and Redis')}</p>` : ''}`,
      )}
${part('What to do next', [todo.length === 0 ? html`<p class="empty">Nothing waits for you.</p>` : next, upkeep === undefined ? '' : lookedAt(desk, upkeep)])}
${day === undefined ? '' : lastDay(desk, day)}
${refusals === undefined ? '' : part('Refused lately', html`${refusalTable(desk, refusals.items)}<p>${link(desk, '/explain', 'All refusals')}</p>`)}`,
    }
  },
}

/** Asks what the operator may know; undefined: nothing. */
async function asked<Name extends BareName>(
  desk: Desk,
  name: Name,
  given = {} as OperationInput<Name>,
): Promise<AnswerOf<Name> | undefined> {
  return desk.may(name) ? (await desk.ask(name, given)).body : undefined
}

export const HOME_PAGES: readonly ConsolePage[] = [home]
