import type { Entries } from '../../admin/audit.ts'
import type { AuditEntry } from '../../audit/entry.ts'
import { EVENT_ACTORS } from '../../audit/event-actors.ts'
import { plainSentence, sentenceOf } from '../../audit/sentence.ts'
import { fieldWords } from '../../audit/sentence-words.ts'
import { EVENTS, type EventName } from '../../core/events.ts'
import { madeOnce } from '../../core/made-once.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { filterChips, findBox, listHead } from '../pages/chips.ts'
import { empty, panel, sheet } from '../pages/panel.ts'
import {
  code,
  exportOffer,
  type Fact,
  facts,
  followed,
  link,
  older,
  table,
  text,
  when,
} from '../pages/parts.ts'
import { dayName, eventRows } from '../pages/sentences.ts'
import type { ConsolePage, ConsoleRequest, ShownPage } from '../rows.ts'

const HOUR = 3_600_000
const DAY_CHARACTERS = 'YYYY-MM-DD'.length
const FILTERS = ['event', 'actor', 'username', 'client_id', 'since', 'request_id', 'changed_by'] as const
type Filter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>

const events: ConsolePage = {
  path: '/events',
  operation: 'list_events',
  async show(desk, { query }) {
    if (desk.refusal('list_events') !== undefined) return NOT_KEPT
    if (query.id) return one(desk, query.id)
    const filter: Filter = Object.fromEntries(
      FILTERS.flatMap((name) => (query[name] ? [[name, query[name]]] : [])),
    )
    const { items, next } = await find(desk, filter, query)
    const days = [...new Set(items.map(({ at }) => at.slice(0, DAY_CHARACTERS)))]
    const lists = days.map((day) =>
      panel(
        { title: dayName(day, desk.now) },
        eventRows(
          desk,
          items.filter(({ at }) => at.startsWith(day)),
        ),
      ),
    )
    const none =
      next === undefined
        ? 'Nothing like this is in the audit trail.'
        : 'Nothing like this in this part: look further back.'
    const kept = { ...filter, who: query.who }
    return {
      title: 'Events',
      section: 'events',
      head: {
        lead: `${date().format(desk.now)}, times in UTC`,
        actions: exportOffer(desk, '/export/events.csv', filter),
      },
      body: html`${head(desk, filter, query.who)}
${followed(query.cursor, lists.length === 0 ? sheet(html`<p>${none}</p>`) : html`${lists}`)}
${older(desk, '/events', kept, next, 'Older')}`,
    }
  },
}

const date = madeOnce(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }))

/** What was typed into the box is a person, an application or a request: the first of them of which there is an event. */
async function find(desk: Desk, filter: Filter, { who, cursor }: ConsoleRequest['query']): Promise<Entries> {
  const asked = who?.trim()
  if (!asked) return (await desk.ask('list_events', { query: { ...filter, cursor } })).body
  for (const name of ['username', 'client_id', 'request_id'] as const) {
    const { body } = await desk.ask('list_events', { query: { ...filter, [name]: asked, cursor } })
    if (body.items.length > 0) return body
  }
  return { items: [] }
}

function head({ base, now }: Desk, filter: Filter, who: string | undefined): Html {
  const href = (changed: Filter) => {
    const kept = Object.entries({ ...(who && { who }), ...filter, ...changed }).filter(([, value]) => value)
    const asked = new URLSearchParams(kept as [string, string][]).toString()
    return `${base}/events${asked === '' ? '' : `?${asked}`}`
  }
  const none: Filter = { event: '', actor: '', changed_by: '' }
  const { event, actor, changed_by, since } = filter
  const chip = (label: string, wanted: Filter, is_current: boolean) => ({
    label,
    href: href({ ...none, ...wanted }),
    is_current,
  })
  const names = Object.keys(EVENT_ACTORS) as EventName[]
  const of_time = [
    ['The last hour', HOUR],
    ['The last day', 24 * HOUR],
    ['The last 7 days', 168 * HOUR],
  ] as const
  return listHead(
    findBox({
      action: `${base}/events`,
      name: 'who',
      label: 'Person, application or request',
      value: who,
      kept: filter,
    }),
    filterChips(
      'Which events',
      [
        chip(
          'All',
          {},
          [event, actor, changed_by].every((one) => one === undefined),
        ),
        chip('Changes by operators', { changed_by: 'operators' }, changed_by !== undefined),
        chip('Sign-ins', { event: 'sign_in_succeeded' }, event === 'sign_in_succeeded'),
        chip('Failures', { event: 'sign_in_failed' }, event === 'sign_in_failed'),
      ],
      [
        {
          label: event === undefined ? 'Kind' : kindName(event),
          is_current: event !== undefined,
          items: names.map((name) => ({ ...chip(kindName(name), { event: name }, name === event) })),
        },
        {
          label: 'Time',
          is_current: since !== undefined,
          items: [
            { label: 'Any time', href: href({ since: '' }) },
            ...of_time.map(([label, ms]) => ({
              label,
              href: href({ since: new Date(Math.floor((now - ms) / HOUR) * HOUR).toISOString() }),
            })),
          ],
        },
      ],
    ),
  )
}

/** What an event is called in a list of kinds: its sentence in the log. */
const kindName = (name: string): string =>
  Object.hasOwn(EVENTS, name) ? (EVENTS[name as EventName].message.split(/[:.]/)[0] ?? name) : name

/** One event, with all that is known of it. */
async function one(desk: Desk, id: string): Promise<ShownPage> {
  const { body } = await desk.ask('list_events', { query: { id } })
  const [entry] = body.items
  const path = [['Events', '/events'], ['Event']] as const
  if (entry === undefined)
    return {
      title: 'This event is not kept any more',
      section: 'events',
      head: { path },
      status: 404,
      body: html``,
    }
  const { event, at, context, changes = [], details = {} } = entry
  const { address, browser, request_id } = context
  const about: Fact[] = [
    ['When', when(at, desk)],
    ['By way of', CHANNELS[entry.actor.via]],
    ['From', [address, browser].filter((part) => part !== undefined).join(', ')],
    ['Kind', code(event)],
    ['Id', code(entry.id)],
    [
      'Request',
      request_id === undefined
        ? undefined
        : html`${code(request_id)} ${link(desk, `/events?${new URLSearchParams({ request_id }).toString()}`, 'All of this request')}`,
    ],
  ]
  const rest = Object.entries(details)
  return {
    title: plainSentence(sentenceOf(entry)),
    section: 'events',
    head: { path },
    body: html`${sheet(eventRows(desk, [entry]))}
${panel({ title: 'Facts' }, facts(about))}
${changes.length === 0 ? '' : panel({ title: 'What changed' }, changed(changes))}
${rest.length === 0 ? '' : panel({ title: 'More' }, html`<details class="more"><summary>Its other fields</summary>${facts(rest.map(([name, value]) => [name, text(value)] as const))}</details>`)}`,
  }
}

/** By what somebody acted. */
const CHANNELS: Readonly<Record<AuditEntry['actor']['via'], string>> = {
  page: 'the pages of sign-in',
  account: 'the account page',
  protocol: 'an endpoint for applications',
  api: 'the admin API',
  console: 'the console',
  command: 'the command',
  server: 'the server',
}

const changed = (changes: NonNullable<AuditEntry['changes']>): Html =>
  table(
    'What changed',
    ['Field', { label: 'Before', absent: 'not shown' }, { label: 'After', absent: 'not shown' }],
    changes.map(({ field, from, to }) => [
      html`${fieldWords(field)}<br><code class="quiet">${field}</code>`,
      from === undefined ? '' : text(from),
      to === undefined ? '' : text(to),
    ]),
    'Nothing.',
  )

const NOT_KEPT: ShownPage = {
  title: 'Events',
  section: 'events',
  body: empty(
    'list',
    'No events are kept here',
    html`Events say who changed what, and who signed in. Set <code>AUDIT=on</code>, and start the servers again.`,
  ),
}

export const EVENT_PAGES: readonly ConsolePage[] = [events]
