import { parseToken } from '../../core/token-string.ts'
import { hasJwtHeader } from '../../keys/jwt-reader.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { type FoundRecords, findAll, NOTHING, placesOf } from '../find-all.ts'
import { act } from '../pages/actions.ts'
import { line } from '../pages/fields.ts'
import { empty } from '../pages/panel.ts'
import type { ConsoleAction, ConsolePage, ShownPage } from '../rows.ts'
import { countsOf, resultPanels } from './search-results.ts'
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
  if (places.length > 0)
    return {
      title: `${countsOf(found)} for “${shortened(q)}”`,
      section: 'home',
      body: html`${resultPanels(desk, found, q)}${saysRest(found)}${unseen(found)}`,
    }
  return {
    title: 'Search',
    section: 'home',
    body: html`${q === '' ? empty('search', 'Search everything', HOW) : nothing(desk, q)}${unseen(found)}`,
  }
}

/** So much of what was typed is in a title, in UTF-16 code units. */
const MAX_TITLE = 60
const shortened = (q: string) => (q.length > MAX_TITLE ? `${q.slice(0, MAX_TITLE)}…` : q)

const HOW =
  'People, applications, groups and providers are found by any word of their names, addresses and ids, or how it begins. A sub, a request id, a session or a whole token can be pasted, too.'

/** What else could have been found. */
const saysRest = ({ sessions, explanation, unseen: found_unseen }: FoundRecords): Html | '' =>
  sessions.items.length > 0 || explanation !== undefined || found_unseen.length > 0
    ? ''
    : html`<p class="quiet">Nothing else: no request or session is named like this. A request id, a session or a whole token can be pasted into the box, too.</p>`

/** Nothing was found: what to try. What was typed is not said: it may be a secret that was pasted. */
const nothing = (desk: Desk, q: string): Html =>
  isToken(q)
    ? empty(
        'key',
        'A token is not looked for in addresses',
        'Browsers and servers keep addresses. Paste a token into the box, or on the page of tokens.',
        act(
          desk,
          { path: '/explain/token', label: 'What is this token?', operation: 'inspect_token', is_main: true },
          'normal',
        ),
      )
    : empty(
        'search',
        'Nothing has this name',
        'People, applications, groups and providers are found by any word of their names, addresses and ids, or how it begins: try fewer letters, or another word. Subs, request ids and sessions have to be whole, and of sessions only the newest are looked through.',
        html`${act(desk, { path: '/people', label: 'All people', operation: 'list_users' }, 'normal')}${act(desk, { path: '/applications', label: 'All applications', operation: 'list_clients' }, 'normal')}`,
      )

/** What was not looked in: a part is not taken for the whole. */
const unseen = ({ unseen }: FoundRecords): Html =>
  html`${unseen.map(({ what, right }) => html`\n<p class="quiet">Not looked in ${what}: that takes the right <code>${right}</code>.</p>`)}`

const NO_RIGHT: ShownPage = {
  title: 'This is a token',
  section: 'home',
  status: 403,
  body: html`<p>To see what it is takes the right <code>redmint:tokens:read</code>, which you do not have.</p>`,
}

export const SEARCH_PAGES: readonly ConsolePage[] = [search]
export const SEARCH_ACTIONS: readonly ConsoleAction[] = [find]
