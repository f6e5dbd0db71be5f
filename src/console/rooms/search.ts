import { parseToken } from '../../core/token-string.ts'
import { partsFound } from '../../core/words.ts'
import { hasJwtHeader } from '../../keys/jwt-reader.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { explanationAt, type FoundRecords, findAll, membersAt, NOTHING, placesOf } from '../find-all.ts'
import { line } from '../pages/fields.ts'
import { at, code, link, part, short, table, text } from '../pages/parts.ts'
import type { ConsoleAction, ConsolePage, ShownPage } from '../rows.ts'
import { sessionTable } from './newest-sessions.ts'
import { INSPECT_TOKEN } from './tokens.ts'

/** A search whose text is in the address, so that it can be sent to a colleague. */
const search: ConsolePage = {
  path: '/search',
  async show(desk, { query }) {
    const outcome = await answerSearch(desk, query.q ?? '')
    return 'go' in outcome ? { to: outcome.go } : outcome
  },
}

/** The search box: what is typed there, or pasted, is in no address and in no log. */
const find: ConsoleAction = {
  path: '/find',
  reads: true,
  ask: async () => ({
    title: 'Search',
    section: 'home',
    lead: html`<p>What is found alone opens at once. What you paste here is in no address.</p>`,
    fields: line({
      name: 'q',
      label: 'A name, e-mail address, sub, client id, request id, session or token',
      required: true,
    }),
    verb: 'Search',
    back: '',
  }),
  async act(desk, given) {
    const { q = '' } = given.form
    const token = q.trim()
    if (!isToken(token)) return answerSearch(desk, q)
    return desk.may('inspect_token') ? INSPECT_TOKEN.act(desk, { ...given, form: { token } }) : NO_RIGHT
  },
}

/** Whether a text can be nothing but a token, which is not looked for: it is in no address, and no entry says it. */
const isToken = (given: string) => parseToken(given) !== undefined || hasJwtHeader(given)

async function answerSearch(desk: Desk, typed: string): Promise<ShownPage | { readonly go: string }> {
  const q = typed.trim()
  // One in an address was copied from there: it is not looked for.
  const found = q === '' || isToken(q) ? NOTHING : await findAll(desk, q)
  const places = placesOf(found, q)
  const [only] = places
  if (only !== undefined && places.length === 1) return { go: only }
  return {
    title: 'Search',
    section: 'home',
    body: html`${places.length === 0 ? html`<p class="empty">${q === '' ? HOW : NONE}</p>` : results(desk, found, q)}${unseen(found)}`,
  }
}

const HOW =
  'Type a name, an e-mail address, a sub, a client id, a group, a provider, a request id or a session into the box, or paste a token.'
const NONE =
  'Nothing has this name. People, applications, groups and providers are found by any word of their names, addresses and ids, or how it begins; subs, request ids and sessions whole, and of sessions only the newest. Paste a token into the box, not into an address.'

/** What was not looked in: a part is not taken for the whole. */
const unseen = ({ unseen }: FoundRecords): Html =>
  html`${unseen.map(({ what, right }) => html`\n<p class="quiet">Not looked in ${what}: that takes the right <code>${right}</code>.</p>`)}`

const NO_RIGHT: ShownPage = {
  title: 'This is a token',
  section: 'home',
  status: 403,
  body: html`<p>To see what it is takes the right <code>redmint:tokens:read</code>, which you do not have.</p>`,
}

function results(desk: Desk, found: FoundRecords, q: string): Html {
  const { people, applications, groups, providers, sessions, explanation } = found
  const shown = (value: unknown) => marked(String(value ?? ''), q)
  const persons = people.items.map((person) => [
    link(desk, at`/people/${person.username}`, shown(person.username)),
    shown(person.claims?.name),
    shown(person.claims?.email),
  ])
  const clients = applications.items.map((one) => [
    link(desk, at`/applications/${one.client_id}`, shown(one.client_id)),
    shown(one.client_name),
  ])
  const teams = groups.items.map(({ group, members }) => [
    link(desk, membersAt(group), shown(group)),
    String(members),
  ])
  const sites = providers.items.map((one) => [
    link(desk, at`/providers/${String(one.provider)}`, shown(one.provider)),
    shown(one.name),
  ])
  return html`${kind('People', ['Name', 'Called', 'E-mail'], persons, people.has_more)}
${kind('Applications', ['Client id', 'Name'], clients, applications.has_more)}
${kind('Groups', ['Group', 'People'], teams, groups.has_more)}
${kind('Providers', ['Provider', 'Name'], sites, providers.has_more)}
${sessions.items.length === 0 ? '' : part('Sessions', sessionTable(desk, sessions.items))}
${explanation === undefined ? '' : part('Refused request', html`<p>${link(desk, explanationAt(explanation.id), code(explanation.id))}: ${text(explanation.sentence)}</p>`)}`
}

function kind(
  title: string,
  head: readonly string[],
  rows: readonly (readonly (Html | string)[])[],
  has_more: boolean,
): Html {
  if (rows.length === 0) return html``
  return part(
    title,
    html`${table(title, head, rows, '')}${has_more ? html`<p>There are more: type more of the name.</p>` : ''}`,
  )
}

/** Longer texts are cut. */
const MAX_MARKED = 80

/** A text with what was looked for in bold. */
function marked(given: string, q: string): Html {
  const parts = given.length > MAX_MARKED ? [] : partsFound(given, q)
  if (!parts.some(({ is_found }) => is_found)) return short(given)
  return html`<bdi>${parts.map((one) => (one.is_found ? html`<b>${one.text}</b>` : one.text))}</bdi>`
}

export const SEARCH_PAGES: readonly ConsolePage[] = [search]
export const SEARCH_ACTIONS: readonly ConsoleAction[] = [find]
