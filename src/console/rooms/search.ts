import type { NewestSessionAnswer } from '../../admin/access/newest-sessions.ts'
import type { ExplanationAnswer } from '../../admin/explanations.ts'
import type { Page } from '../../admin/operation/list.ts'
import { AdminError } from '../../admin/operation/problem.ts'
import { parseToken } from '../../core/token-string.ts'
import { looksLikeJwt } from '../../keys/jwt-reader.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { line } from '../pages/fields.ts'
import { at, code, link, part, short, table, text } from '../pages/parts.ts'
import type { ConsoleAction, ConsolePage, ShownPage } from '../rows.ts'
import type { ShownClient } from './application-kind.ts'
import { sessionTable } from './newest-sessions.ts'
import type { ShownUser } from './people.ts'
import { INSPECT_TOKEN } from './tokens.ts'

const LIMIT = '10'
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/
const SID = /^[A-Za-z0-9_-]{16}$/

/** What a search found. */
interface Found {
  readonly people: readonly ShownUser[]
  readonly applications: readonly ShownClient[]
  readonly sessions: readonly NewestSessionAnswer[]
  readonly explanation: ExplanationAnswer | undefined
}

const NOTHING: Found = { people: [], applications: [], sessions: [], explanation: undefined }

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

const isToken = (text: string) => parseToken(text) !== undefined || looksLikeJwt(text)

async function answerSearch(desk: Desk, typed: string): Promise<ShownPage | { readonly go: string }> {
  const q = typed.trim()
  // One in an address was copied from there: it is not looked for.
  const found = q === '' || isToken(q) ? NOTHING : await findAll(desk, q)
  const { people, applications, sessions, explanation } = found
  const places = [
    ...people.map(({ username }) => at`/people/${username}`),
    ...applications.map(({ client_id }) => at`/applications/${client_id}`),
    ...sessions.map(({ username }) => at`/people/${username}/sessions`),
    ...(explanation === undefined ? [] : [explanationAt(explanation.id)]),
  ]
  const [only] = places
  if (only !== undefined && places.length === 1) return { go: only }
  return {
    title: 'Search',
    section: 'home',
    body: places.length === 0 ? html`<p class="empty">${q === '' ? HOW : NONE}</p>` : results(desk, found),
  }
}

const HOW =
  'Type a name, an e-mail address, a sub, a client id, a request id or a session into the box, or paste a token.'
const NONE =
  'Nothing has this name. Names and client ids are found whole, or by how they begin; addresses, subs, request ids and sessions whole, and of sessions only the newest. Paste a token into the box, not into an address.'

const NO_RIGHT: ShownPage = {
  title: 'This is a token',
  section: 'home',
  status: 403,
  body: html`<p>To see what it is takes the right <code>redmint:tokens:read</code>, which you do not have.</p>`,
}

const explanationAt = (id: string) => `/explain?${new URLSearchParams({ id }).toString()}`

function results(desk: Desk, { people, applications, sessions, explanation }: Found): Html {
  const persons = people.map((person) => [
    link(desk, at`/people/${person.username}`, short(person.username)),
    short(person.claims?.name ?? ''),
    short(person.claims?.email ?? ''),
  ])
  const clients = applications.map((one) => [
    link(desk, at`/applications/${one.client_id}`, short(one.client_id)),
    short(one.client_name ?? ''),
  ])
  return html`${part('People', table('People', ['Name', 'Called', 'E-mail'], persons, 'None.'))}
${part('Applications', table('Applications', ['Client id', 'Name'], clients, 'None.'))}
${sessions.length === 0 ? '' : part('Sessions', sessionTable(desk, sessions))}
${explanation === undefined ? '' : part('Refused request', html`<p>${link(desk, explanationAt(explanation.id), code(explanation.id))}: ${text(explanation.sentence)}</p>`)}`
}

async function findAll(desk: Desk, q: string): Promise<Found> {
  const query = { q, limit: LIMIT }
  const [people, applications, sessions, explanation] = await Promise.all([
    desk.may('list_users') ? itemsOf(desk.ask('list_users', { query })) : [],
    desk.may('list_clients') ? itemsOf(desk.ask('list_clients', { query })) : [],
    SID.test(q) && desk.may('list_newest_sessions')
      ? itemsOf(desk.ask('list_newest_sessions', { query: { sid: q, limit: LIMIT } }))
      : [],
    explained(desk, q),
  ])
  return { people, applications, sessions, explanation }
}

const itemsOf = async <T>(answer: Promise<{ readonly body: Page<T> }>) => (await answer).body.items

async function explained(desk: Desk, id: string): Promise<ExplanationAnswer | undefined> {
  if (!REQUEST_ID.test(id) || !desk.may('read_explanation')) return undefined
  try {
    return (await desk.ask('read_explanation', { params: { id } })).body
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not_found') return undefined
    throw error
  }
}

export const SEARCH_PAGES: readonly ConsolePage[] = [search]
export const SEARCH_ACTIONS: readonly ConsoleAction[] = [find]
