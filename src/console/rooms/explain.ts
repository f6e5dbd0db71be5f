import type { ExplanationAnswer, ExplanationsAnswer } from '../../admin/explanations.ts'
import type { Facts, Reason, RequestStep } from '../../core/reasons.ts'
import { type ComparedFact, comparedFacts } from '../../explain/compare.ts'
import { STEP_WORDS } from '../../explain/step-words.ts'
import { titleOf } from '../../explain/titles.ts'
import { type Html, html } from '../../pages/html.ts'
import { applicationName } from '../called.ts'
import type { Desk } from '../desk.ts'
import { act, acts } from '../pages/actions.ts'
import { findBox, listHead } from '../pages/chips.ts'
import { steps } from '../pages/consequence.ts'
import { endpointWords } from '../pages/endpoint-words.ts'
import { panel, rows } from '../pages/panel.ts'
import { applicationLink, at, code, facts, followed, link, personLink, text, when } from '../pages/parts.ts'
import type { ConsolePage, ShownPage } from '../rows.ts'

type Item = ExplanationsAnswer['items'][number]

const pageFor = (id: string) => `/explain?${new URLSearchParams({ id }).toString()}`
const personOf = ({ received: { username } }: Item) => (typeof username === 'string' ? username : undefined)

/** What happened, as a title. */
const refusalTitle = (item: Item, client = item.client_id): string =>
  titleOf(item.reason as Reason, { client, person: personOf(item) })

/** Refused requests, each a link to its explanation. */
export function refusalRows(desk: Desk, items: readonly Item[]): Html {
  if (items.length === 0)
    return html`<p>${desk.off('list_explanations') ?? 'Nothing was refused lately.'}</p>`
  return rows(
    items.map((item) => ({
      name: link(desk, pageFor(item.id), text(refusalTitle(item))),
      detail: html`At ${endpointWords(item.endpoint)}${item.more > 0 ? `, and ${item.more} more like it` : ''} · <code>${item.id}</code>`,
      action: html`<span class="quiet nowrap">${when(item.at, desk)}</span>`,
    })),
  )
}

const explain: ConsolePage = {
  path: '/explain',
  operation: 'list_explanations',
  async show(desk, { query: { id, client_id, reason } }) {
    if (id) {
      const { body } = await desk.ask('read_explanation', { params: { id: id.trim() } })
      const { client_id: of } = body
      return one(desk, body, of && (await applicationName(desk, of)))
    }
    const { body } = await desk.ask('list_explanations', { query: { client_id } })
    const items = body.items.filter((item) => !reason || item.reason === reason)
    const only = client_id || reason
    return {
      title: 'Explain',
      section: 'explain',
      head: {
        lead: 'Why requests were refused. Each page of an error has the id of its request: paste it here.',
        actions: acts(desk, [
          { path: '/explain/token', label: 'What is this token?', operation: 'inspect_token', icon: 'key' },
          { path: '/explain/what-if', label: 'What if', operation: 'what_if', icon: 'branches' },
        ]),
      },
      body: html`${listHead(findBox({ action: `${desk.base}/explain`, name: 'id', label: 'Id of a request' }), only ? html`<a class="chip" href="${desk.base}/explain">${only === client_id ? html`Of ${text(client_id)}` : 'Of one reason'}: show all</a>` : '')}
${followed(undefined, panel({ title: 'The last refusals' }, refusalRows(desk, items)))}`,
    }
  },
}

function one(desk: Desk, found: ExplanationAnswer, application: string | undefined): ShownPage {
  const { id, endpoint, client_id, reason, sentence, advice, docs, differences, passed, more } = found
  const person = personOf(found)
  const title = refusalTitle(found, application)
  const compared = comparedFacts(found.received as Facts, found.expected as Facts)
  const later = stepsOf(passed)
  return {
    title,
    section: 'explain',
    head: {
      path: [['Explain', '/explain'], [id]],
      lead: html`Refused ${when(found.at, desk)}, request ${code(id)}`,
      actions: mend(desk, found),
    },
    body: html`<div class="two"><div>
${differences.length === 0 ? '' : panel({ title: 'What differs' }, differences.map(difference))}
${panel({ title: 'What to do' }, html`<p>${text(advice)}</p>\n<p class="quiet">More: ${code(docs)}</p>`)}
${panel(
  { title: 'The request, step by step' },
  html`${steps([...later, { kind: 'stops', says: html`<b>${text(sentence)}</b><br><small class="quiet">reason <code>${reason}</code></small>` }])}
${compared.length === 0 ? '' : html`<details class="more"><summary>What it had, and should have had</summary>${facts(compared.map((one) => [one.name, comparison(one)] as const))}</details>`}`,
)}
</div>
<aside aria-label="Facts">
${panel(
  { title: 'Facts' },
  html`${above([
    [
      'Application',
      client_id === undefined
        ? 'none that is registered'
        : applicationLink(desk, client_id, text(application)),
    ],
    ['Person', person === undefined ? 'not known' : personLink(desk, person)],
    ['At', endpointWords(endpoint)],
    ['The other side saw', html`an error with the id ${code(id)}`],
    ['Like it', more === 0 ? 'no other that is only counted' : `${more} more, only counted`],
  ])}`,
)}
${
  client_id === undefined
    ? ''
    : panel(
        { title: 'The same' },
        html`<p>${link(desk, `/explain?${new URLSearchParams({ client_id }).toString()}`, 'All refusals of this application')}<br>${link(desk, `/explain?${new URLSearchParams({ reason }).toString()}`, 'All of this reason')}</p>`,
      )
}
</aside></div>`,
  }
}

const above = (given: Parameters<typeof facts>[0]) => html`<div class="above">${facts(given)}</div>`

/** What the request passed, folded if it is much. */
const stepsOf = (passed: readonly string[]) =>
  passed
    .filter((step): step is RequestStep => Object.hasOwn(STEP_WORDS, step))
    .slice(-2)
    .map((step) => ({ kind: 'stays' as const, says: STEP_WORDS[step] }))

const BOUNDS = { at_most: ' at most', at_least: ' at least' } as const

/** What it had, if that is known, and what it should have had. */
function comparison({ received, expected, bound }: ComparedFact): Html {
  if (expected === undefined) return html`${text(received)}`
  const wanted = html`<span class="quiet">should be${bound === undefined ? '' : BOUNDS[bound]}</span> ${[expected].flat().length === 0 ? 'none' : text(expected)}`
  return received === undefined ? wanted : html`${text(received)}<br>${wanted}`
}

/** The button that leads to where it is mended. */
function mend(desk: Desk, found: ExplanationAnswer): Html | '' {
  const { reason, client_id } = found
  const person = personOf(found)
  if (reason === 'redirect_uri_unregistered' && client_id !== undefined)
    return act(
      desk,
      {
        path: at`/applications/${client_id}/edit`,
        label: 'Change the redirect URIs',
        operation: 'change_client',
        is_main: true,
      },
      'normal',
    )
  const { name, party } = found.received
  if (party === 'provider' && typeof name === 'string')
    return act(
      desk,
      {
        path: at`/providers/${name}/test`,
        label: 'Test the provider',
        operation: 'test_provider',
        is_main: true,
      },
      'normal',
    )
  if (person !== undefined)
    return act(
      desk,
      { path: at`/people/${person}`, label: 'Open the person', operation: 'read_user' },
      'normal',
    )
  return client_id === undefined
    ? ''
    : act(
        desk,
        { path: at`/applications/${client_id}`, label: 'Open the application', operation: 'read_client' },
        'normal',
      )
}

/** Both texts, one below the other, with the place from which on they differ. */
function difference({ received, expected, at: place }: ExplanationAnswer['differences'][number]): Html {
  return html`<p>Sent</p>
<pre tabindex="0"><bdi>${received.slice(0, place)}<mark>${received.slice(place) || ' '}</mark></bdi></pre>
<p>Registered, and nearest to it</p>
<pre tabindex="0"><bdi>${expected.slice(0, place)}<mark>${expected.slice(place) || ' '}</mark></bdi></pre>
`
}

export const EXPLAIN_PAGES: readonly ConsolePage[] = [explain]
