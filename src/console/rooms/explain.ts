import type { ExplanationAnswer, ExplanationsAnswer } from '../../admin/explanations.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { filters, line } from '../pages/fields.ts'
import {
  applicationLink,
  badge,
  code,
  facts,
  followed,
  link,
  part,
  short,
  table,
  text,
  when,
} from '../pages/parts.ts'
import type { ConsoleAction, ConsolePage } from '../rows.ts'

/** Refused requests, each a link to its explanation. */
export function refusalTable(desk: Desk, items: ExplanationsAnswer['items']): Html {
  return table(
    'The last refusals, the newest first',
    ['Request', 'When', 'What happened', 'Client', 'Endpoint'],
    items.map(({ id, at: time, sentence, client_id, endpoint, more }) => [
      link(desk, `/explain?${new URLSearchParams({ id }).toString()}`, code(id)),
      when(time, desk),
      html`${text(sentence)}${more > 0 ? ` (and ${more} more like it)` : ''}`,
      client_id === undefined ? '' : applicationLink(desk, client_id),
      endpoint,
    ]),
    desk.off('list_explanations') ?? 'Nothing was refused lately.',
  )
}

const explain: ConsolePage = {
  path: '/explain',
  operation: 'list_explanations',
  async show(desk, { query: { id, client_id } }) {
    const search = html`${line({ name: 'id', label: 'Request id', value: id, hint: 'It is on each error page, and in X-Request-Id' })}${line({ name: 'client_id', label: 'Only of this client', value: client_id })}`
    if (id) {
      const { body } = await desk.ask('read_explanation', { params: { id } })
      return { title: 'Why this request was refused', section: 'explain', body: one(desk, body) }
    }
    const { body } = await desk.ask('list_explanations', { query: { client_id } })
    return {
      title: 'Explain',
      section: 'explain',
      body: html`${filters(`${desk.base}/explain`, search)}
<ul class="tabs"><li>${link(desk, '/explain/what-if', 'What if: may a person use an application?')}</li>${desk.may('inspect_token') ? html`<li>${link(desk, '/explain/token', 'What is this token?')}</li>` : ''}</ul>
${followed(undefined, refusalTable(desk, body.items))}`,
    }
  },
}

function one(desk: Desk, found: ExplanationAnswer): Html {
  const {
    id,
    at: time,
    endpoint,
    client_id,
    reason,
    sentence,
    advice,
    docs,
    differences,
    passed,
    more,
  } = found
  const names = [...new Set([...Object.keys(found.received), ...Object.keys(found.expected)])]
  const client = client_id === undefined ? 'none that is registered' : applicationLink(desk, client_id)
  return html`<p><strong>${text(sentence)}</strong></p>
${part('What to change', html`<p>${text(advice)}</p>\n<p>See ${code(docs)}.</p>`)}
${part(
  'What the request had, and what it should have had',
  table(
    'Facts of the request',
    ['Fact', 'Received', 'Expected'],
    names.map((name) => [name, text(found.received[name] ?? ''), text(found.expected[name] ?? '')]),
    'There is nothing to compare.',
  ),
)}
${differences.length === 0 ? '' : part('Where they differ', differences.map(difference))}
${part(
  'Facts',
  facts([
    ['Request', code(id)],
    ['When', when(time, desk)],
    ['Endpoint', endpoint],
    ['Client', client],
    ['Reason', code(reason)],
    ['Passed before', passed.length === 0 ? 'nothing' : passed.join(', ')],
    ['Like it, only counted', String(more)],
  ]),
)}
<p>${link(desk, '/explain', 'All refusals')}</p>`
}

/** Both texts, one below the other, with the place from which on they differ. */
function difference({ name, received, expected, at: place }: ExplanationAnswer['differences'][number]): Html {
  const marked = (value: string) =>
    html`<bdi>${value.slice(0, place)}<mark>${value.slice(place) || ' '}</mark></bdi>`
  return html`<p>${name}</p>
<pre tabindex="0">${marked(received)}
${marked(expected)}</pre>
`
}

const factsIn = (found: Readonly<Record<string, unknown>>): Html =>
  text(Object.entries(found).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`))

/** Asks the rules of a sign-in; it writes nothing, so nobody has to confirm who it is. */
const whatIf: ConsoleAction = {
  path: '/explain/what-if',
  operation: 'what_if',
  reads: true,
  ask: async (_desk, { form, query }) => ({
    title: 'What if a person used an application?',
    section: 'what-if',
    lead: html`<p>The same rules as in a real sign-in answer. Nothing is written, and no counter changes.</p>`,
    fields: html`${line({ name: 'username', label: 'Username', value: form.username ?? query.username, required: true })}
${line({ name: 'client_id', label: 'Client id of the application', value: form.client_id ?? query.client_id, required: true })}
${line({ name: 'scope', label: 'Scope', value: form.scope, hint: 'Names separated by spaces; empty: all that the application may obtain' })}`,
    verb: 'Ask',
    back: '/explain',
  }),
  async act(desk, { form: { username = '', client_id = '', scope } }) {
    const asked = { username, client_id, ...(scope && { scope }) }
    const { body } = await desk.ask('what_if', { body: asked })
    const { allowed, rules, asks_consent, tokens } = body
    const result = allowed ? badge('would get in', 'good') : badge('would be refused', 'bad')
    return {
      title: 'What would happen',
      section: 'what-if',
      body: html`<p>${short(username)} at ${short(client_id)}: ${result}${asks_consent ? ', after agreeing' : ''}</p>
${part(
  'The rules, in their order',
  table(
    'The first that fails refuses the request',
    ['Rule', 'Result', 'Why', 'Would have', 'Should have'],
    rules.map(({ rule, passed, reason = '', received = {}, expected = {} }) => [
      rule,
      passed ? badge('passed', 'good') : badge('failed', 'bad'),
      reason,
      factsIn(received),
      factsIn(expected),
    ]),
    'No rule was asked.',
  ),
)}
${
  tokens === undefined
    ? ''
    : part(
        'The tokens',
        facts([
          ['Access token', `${tokens.access_token.format}, for ${tokens.access_token.expires_in} seconds`],
          ['Scope', code(tokens.access_token.scope)],
          ['Refresh token', tokens.refresh_token ? 'yes' : 'no'],
          ['id_token', tokens.id_token === undefined ? 'none' : text(tokens.id_token)],
        ]),
      )
}
<p>${link(desk, '/explain/what-if', 'Ask again')}</p>`,
    }
  },
}

export const EXPLAIN_PAGES: readonly ConsolePage[] = [explain]
export const EXPLAIN_ACTIONS: readonly ConsoleAction[] = [whatIf]
