import type { AnswerOf } from '../../admin/operations.ts'
import { parseJson } from '../../core/json.ts'
import { type Html, html } from '../../pages/html.ts'
import { filterChips, findBox, listHead } from '../pages/chips.ts'
import { panel, sheet } from '../pages/panel.ts'
import { badge, durationWords, table, text } from '../pages/parts.ts'
import { groupOf, SETTING_GROUPS, settingWords } from '../pages/setting-words.ts'
import type { ConsolePage } from '../rows.ts'
import { withoutMarks } from '../without-marks.ts'

type Setting = AnswerOf<'read_settings'>['items'][number]

const ALL = 'all'

/** The settings of the server that answers: those that are changed first, the defaults one click away. */
const settings: ConsolePage = {
  path: '/settings',
  operation: 'read_settings',
  async show(desk, { query: { show, q = '' } }) {
    const { body } = await desk.ask('read_settings')
    const { items } = body
    const changed = items.filter(({ source }) => source !== 'default')
    const wanted = q.trim().toLowerCase()
    const group = SETTING_GROUPS.find((name) => name === show)
    const shown =
      wanted !== ''
        ? items.filter((one) => isAbout(one, wanted))
        : group !== undefined
          ? items.filter((one) => groupOf(variableOf(one)) === group)
          : show === ALL
            ? items
            : changed
    const href = (value?: string) =>
      `${desk.base}/settings${value === undefined ? '' : `?${new URLSearchParams({ show: value }).toString()}`}`
    const chips = [
      {
        label: 'Changed',
        count: String(changed.length),
        href: href(),
        is_current: wanted === '' && show === undefined,
      },
      { label: 'All', count: String(items.length), href: href(ALL), is_current: show === ALL },
      ...SETTING_GROUPS.map((name) => ({
        label: name,
        count: String(items.filter((one) => groupOf(variableOf(one)) === name).length),
        href: href(name),
        is_current: name === group,
      })),
    ]
    const groups = SETTING_GROUPS.map((name) => ({
      name,
      of_it: shown.filter((one) => groupOf(variableOf(one)) === name),
    })).filter(({ of_it }) => of_it.length > 0)
    return {
      title: 'Settings',
      section: 'settings',
      head: {
        beside: html`<span class="count">${String(items.length)}</span>`,
        lead: 'Read at the start, from the environment. Change them there, and start the servers again.',
      },
      body: html`${listHead(findBox({ action: `${desk.base}/settings`, name: 'q', label: 'Find a setting', value: q }), filterChips('Which settings', chips))}
${groups.length === 0 ? sheet(html`<p>${wanted === '' ? 'All settings have their defaults.' : 'No setting is like this.'}</p>`) : groups.map(({ name, of_it }) => panel({ title: name, action: html`<a href="${href(name)}">All of it</a>` }, settingTable(name, of_it)))}`,
    }
  },
}

const variableOf = ({ variable, name }: Setting): string => variable ?? name

const isAbout = (one: Setting, wanted: string): boolean =>
  [variableOf(one), settingWords(variableOf(one)), one.docs ?? ''].some((words) =>
    words.toLowerCase().includes(wanted),
  )

const settingTable = (caption: string, items: readonly Setting[]): Html =>
  table(
    caption,
    ['Setting', { label: 'Is', is_wide: true }, { label: 'Means', is_minor: true }],
    items.map((one) => [
      html`${settingWords(variableOf(one))}<br><small><code class="quiet">${brokenAt(variableOf(one))}</code></small>`,
      shownValue(one),
      text(withoutMarks(one.docs ?? '')),
    ]),
    'None.',
  )

/** A variable may break after an underscore, and nowhere else while there is room. */
const brokenAt = (variable: string): Html =>
  html`${variable.split('_').map((word, i) => html`${i === 0 ? '' : html`_<wbr>`}${word}`)}`

const IS_SPAN = /_(TTL|WINDOW)$/

function shownValue(one: Setting): Html | string {
  const { value } = one
  if (value === undefined) return one.source === 'default' ? 'not set' : badge('set, not shown')
  const read = parseJson(value) ?? value
  if (typeof read === 'boolean') return read ? 'on' : 'off'
  if (typeof read === 'number')
    return IS_SPAN.test(variableOf(one).toUpperCase()) && Number.isSafeInteger(read)
      ? durationWords(read)
      : String(read)
  return html`<code>${text(read)}</code>`
}

export const SETTING_PAGES: readonly ConsolePage[] = [settings]
