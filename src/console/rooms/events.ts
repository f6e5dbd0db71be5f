import type { AuditEntry } from '../../audit/entry.ts'
import { EVENT_ACTORS } from '../../audit/event-actors.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { choice, filters, line } from '../pages/fields.ts'
import { code, exportOffer, followed, older, personLink, short, table, text, when } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'

const events: ConsolePage = {
  path: '/events',
  operation: 'list_events',
  async show(desk, { query: { event, actor, username, client_id, since, id, request_id, cursor } }) {
    if (desk.refusal('list_events') !== undefined) return NOT_KEPT
    const filter = { event, actor, username, client_id, since, id, request_id }
    const { body } = await desk.ask('list_events', { query: { ...filter, cursor } })
    const names = Object.keys(EVENT_ACTORS).map((name) => [name, name] as const)
    const fields = html`${choice({ name: 'event', label: 'Event', value: event }, [['', 'all'], ...names])}${line({ name: 'username', label: 'Username', value: username })}${line({ name: 'client_id', label: 'Client id', value: client_id })}${line({ name: 'actor', label: 'By', value: actor, hint: 'A sub, a client id, or user, operator, client, system' })}${line({ name: 'since', label: 'Since', value: since, hint: 'As 2026-11-27 or 2026-11-27T08:00Z' })}`
    const empty =
      body.next === undefined
        ? 'Nothing like this is in the audit trail.'
        : 'Nothing like this in this part: go on with More.'
    return {
      title: 'Events',
      section: 'events',
      body: html`${filters(`${desk.base}/events`, fields)}
${followed(
  cursor,
  table(
    'The audit trail, the newest first',
    ['Event', 'When', 'By', 'About', 'What changed', 'From'],
    body.items.map((entry) => row(desk, entry)),
    empty,
  ),
)}
${older(desk, '/events', filter, body.next)}
${exportOffer(desk, '/export/events.csv', filter)}`,
    }
  },
}

const NOT_KEPT = {
  title: 'Events',
  section: 'events',
  body: html`<p class="empty">No events are kept here. Set <code>AUDIT=on</code>, and start the servers again.</p>`,
} as const

function row(desk: Desk, entry: AuditEntry): (Html | string)[] {
  const { event, at: time, actor, targets, context, changes = [], details = {} } = entry
  const who = actor.username ?? actor.id ?? actor.kind
  const said = [
    ...changes.map(({ field, from, to }) =>
      // Of a secret nobody notes what it was.
      from === undefined && to === undefined
        ? html`${field}: not shown\n`
        : html`${field}: ${short(from ?? '–')} → ${short(to ?? '–')}\n`,
    ),
    ...Object.entries(details).map(([name, value]) => html`${name}: ${short(value)}\n`),
  ]
  return [
    code(event),
    when(time, desk),
    html`${personOr(desk, actor.username, who)} (${actor.via})`,
    html`${targets.map((target) => html`${target.kind}: ${personOr(desk, target.username, target.username ?? target.id)}\n`)}`,
    html`${said}`,
    html`${text([context.address, context.browser].filter((one) => one !== undefined).join(' · '))}`,
  ]
}

const personOr = (desk: Desk, username: string | undefined, shown: string): Html =>
  username === undefined ? short(shown) : personLink(desk, username, short(shown))

export const EVENT_PAGES: readonly ConsolePage[] = [events]
