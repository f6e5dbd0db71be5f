import type { AuditEntry } from '../../audit/entry.ts'
import { plainSentence, type SentencePart, sentenceOf, timesOf } from '../../audit/sentence.ts'
import { madeOnce } from '../../core/made-once.ts'
import { type Html, html } from '../../pages/html.ts'
import { initialsOf } from '../../pages/text.ts'
import { CONSOLE_CLIENT } from '../client.ts'
import type { Desk } from '../desk.ts'
import { applicationLink, at, link, personLink, short } from './parts.ts'

/** A part of a sentence: a name leads to the page of what it stands for, if there is one. */
function partOf(desk: Desk, part: SentencePart, i: number): Html {
  if (typeof part === 'string') return html`${part}`
  const { kind, id = '', username, shown } = part
  const name = i === 0 ? html`<b>${short(shown)}</b>` : short(shown)
  if (username !== undefined) return personLink(desk, username, name)
  if (id === CONSOLE_CLIENT) return html`the console`
  if (kind === 'client') return applicationLink(desk, id, name)
  if (kind === 'resource' && desk.may('read_resource')) return link(desk, at`/apis/${id}`, name)
  return name
}

/** What an entry of the audit trail says, as one sentence. */
export const sentence = (desk: Desk, entry: AuditEntry): Html =>
  html`${sentenceOf(entry).map((part, i) => partOf(desk, part, i))}`

/** The picture of who acts: round for a person, square for anything else. */
function markOf({ actor }: AuditEntry): Html {
  const shown = actor.name ?? actor.username ?? actor.id ?? ''
  return actor.kind === 'client'
    ? html`<span class="app" aria-hidden="true">${initialsOf(shown)}</span>`
    : html`<span class="face" aria-hidden="true">${initialsOf(shown)}</span>`
}

const CLOCK_FROM = 11
const CLOCK_TO = 16

/** Entries of one time after the other, as sentences. What says the same as the one before is told with it. */
export function eventRows(desk: Desk, entries: readonly AuditEntry[]): Html {
  const told: { entry: AuditEntry; said: string; count: number }[] = []
  for (const entry of entries) {
    const said = `${entry.event} ${plainSentence(sentenceOf(entry))}`
    const last = told.at(-1)
    if (last?.said === said) last.count += 1
    else told.push({ entry, said, count: 1 })
  }
  return html`<ul class="rows">
${told.map(({ entry, count }) => html`<li>${markOf(entry)}<div class="grow">${sentence(desk, entry)}${count > 1 ? `, ${timesOf(count)}` : ''}<small>${link(desk, `/events?${new URLSearchParams({ id: entry.id }).toString()}`, html`<code>${entry.event}</code>`)}</small></div><time class="quiet nowrap" datetime="${entry.at}">${entry.at.slice(CLOCK_FROM, CLOCK_TO)}</time></li>\n`)}</ul>`
}

const DAY = 86_400_000
const date = madeOnce(
  () => new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }),
)

/** Returns what a day is called, such as "Today". @param day as `2026-11-28` @param now milliseconds since 1970 */
export function dayName(day: string, now: number): string {
  const isDay = (ms: number) => new Date(ms).toISOString().startsWith(day)
  if (isDay(now)) return 'Today'
  return isDay(now - DAY) ? 'Yesterday' : date().format(Date.parse(day))
}
