import { partsFound } from '../../core/words.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { Desk } from '../desk.ts'
import { explanationAt, type FoundRecords, membersAt } from '../find-all.ts'
import { panel, type Row, rows } from '../pages/panel.ts'
import { at, code, link, oddState, short, text, when } from '../pages/parts.ts'
import { calledOf, face } from '../pages/person.ts'
import { kindLabel, kindMark, kindOf } from './application-kind.ts'
import { sessionTable } from './newest-sessions.ts'
import { providerMark, providerName } from './provider-state.ts'

/** What a search found as panels, a kind each; a kind of which nothing was found has none. */
export function resultPanels(desk: Desk, found: FoundRecords, q: string): Html {
  const { people, applications, groups, providers, sessions, explanation } = found
  const query = new URLSearchParams({ q }).toString()
  return html`${kind(
    'People',
    people.items.map((person) => personRow(desk, person, q)),
    link(desk, `/people?${query}`, 'All in People'),
    people.has_more,
  )}${kind(
    'Applications',
    applications.items.map((one) => applicationRow(desk, one, q)),
    link(desk, `/applications?${query}`, 'All in Applications'),
    applications.has_more,
  )}${kind(
    'Groups',
    groups.items.map(({ group, members }) => ({
      mark: icon('groups'),
      ...named(desk, membersAt(group), group, q),
      detail: members === 1 ? '1 person' : `${String(members)} people`,
    })),
    '',
    groups.has_more,
  )}${kind(
    'Providers',
    providers.items.map((one) => providerRow(desk, one, q)),
    '',
    providers.has_more,
  )}${sessions.items.length === 0 ? '' : panel({ title: 'Sessions' }, sessionTable(desk, sessions.items))}${
    explanation === undefined
      ? ''
      : panel(
          { title: 'Refused request' },
          rows([
            {
              mark: icon('question'),
              name: link(desk, explanationAt(explanation.id), text(explanation.sentence)),
              is_plain: true,
              detail: code(explanation.id),
            },
          ]),
        )
  }`
}

/** How many of each kind were found, such as "3 people, 1 application". */
export function countsOf(found: FoundRecords): string {
  const { people, applications, groups, providers, sessions, explanation } = found
  const refused = { items: explanation === undefined ? [] : [explanation], has_more: false }
  return [
    counted(people, 'person', 'people'),
    counted(applications, 'application', 'applications'),
    counted(groups, 'group', 'groups'),
    counted(providers, 'provider', 'providers'),
    counted(sessions, 'session', 'sessions'),
    counted(refused, 'refused request', 'refused requests'),
  ]
    .filter((words) => words !== '')
    .join(', ')
}

function counted(
  { items: { length }, has_more }: { readonly items: readonly unknown[]; readonly has_more: boolean },
  one: string,
  many: string,
): string {
  if (length === 0) return ''
  return has_more ? `${String(length)} or more ${many}` : `${String(length)} ${length === 1 ? one : many}`
}

function kind(title: string, found: readonly Row[], action: Html | '', has_more: boolean): Html | '' {
  if (found.length === 0) return ''
  const foot = has_more ? html`<span>There are more: type more of the name.</span>` : ''
  return panel({ title, action, foot }, rows(found))
}

/** A link to the page of what was found, with what was looked for in bold. */
const named = (desk: Desk, path: string, name: unknown, q: string) => ({
  name: link(desk, path, marked(name, q)),
  is_plain: true as const,
})

function personRow(desk: Desk, person: FoundRecords['people']['items'][number], q: string): Row {
  const { username, claims, state, last_sign_in_at } = person
  const name = calledOf(person)
  const others = [claims?.email, name === username ? undefined : username].filter((one) => one !== undefined)
  return {
    mark: face(name),
    ...named(desk, at`/people/${username}`, name, q),
    state: oddState(state),
    detail: html`${others.map((one, i) => html`${i === 0 ? '' : ' · '}${marked(one, q)}`)}`,
    action: html`<span class="quiet nowrap">${when(last_sign_in_at, desk)}</span>`,
  }
}

function applicationRow(desk: Desk, one: FoundRecords['applications']['items'][number], q: string): Row {
  const { client_id, client_name, state } = one
  const what = kindOf(one)
  return {
    mark: kindMark(what),
    ...named(desk, at`/applications/${client_id}`, client_name || client_id, q),
    state: oddState(state),
    detail: marked(client_id, q),
    action: html`<span class="quiet">${kindLabel(what)}</span>`,
  }
}

function providerRow(desk: Desk, one: FoundRecords['providers']['items'][number], q: string): Row {
  const { provider, issuer, state } = one
  const called = providerName(one)
  return {
    mark: providerMark(one),
    ...named(desk, at`/providers/${String(provider)}`, called, q),
    state: oddState(state),
    detail: html`${marked(issuer ?? '', q)} · ${marked(provider, q)}`,
  }
}

/** Longer texts are cut. */
const MAX_MARKED = 120

/** A text with what was looked for in bold. */
function marked(given: unknown, q: string): Html {
  const known = typeof given === 'string' ? given : (JSON.stringify(given) ?? '')
  const parts = known.length > MAX_MARKED ? [] : partsFound(known, q)
  if (!parts.some(({ is_found }) => is_found)) return short(known)
  return html`<bdi>${parts.map((one) => (one.is_found ? html`<b>${one.text}</b>` : one.text))}</bdi>`
}
