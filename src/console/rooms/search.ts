import type { ExplanationAnswer } from '../../admin/explanations.ts'
import { AdminError } from '../../admin/problem.ts'
import { html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { at, code, link, part, short, table, text } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import type { Application } from './applications.ts'
import type { Person } from './people.ts'

const LIMIT = '10'
const REQUEST_ID = /^[A-Za-z0-9._-]{8,64}$/

/** Finds people, applications and refused requests; what is the only one is opened at once. */
const search: ConsolePage = {
  path: '/search',
  async show(desk, { query }) {
    const q = (query.q ?? '').trim()
    const [people, applications, explanation] = q === '' ? [[], [], undefined] : await found(desk, q)
    const places = [
      ...people.map(({ username }) => at`/people/${username}`),
      ...applications.map(({ client_id }) => at`/applications/${client_id}`),
      ...(explanation === undefined ? [] : [`/explain?${new URLSearchParams({ id: q }).toString()}`]),
    ]
    const [only] = places
    if (only !== undefined && places.length === 1) return { to: only }
    const nothing = html`Nothing has this name. Names, client ids and request ids are found whole, or by how they begin; addresses and subs whole.`
    return {
      title: q === '' ? 'Search' : `Search for ${q}`,
      section: 'home',
      body:
        places.length === 0
          ? html`<p class="empty">${q === '' ? 'Type a name, an e-mail address, a sub, a client id or a request id.' : nothing}</p>`
          : html`${part(
              'People',
              table(
                'People',
                ['Name', 'Called', 'E-mail'],
                people.map((person) => [
                  link(desk, at`/people/${person.username}`, short(person.username)),
                  short(person.claims?.name ?? ''),
                  short(person.claims?.email ?? ''),
                ]),
                'None.',
              ),
            )}
${part(
  'Applications',
  table(
    'Applications',
    ['Client id', 'Name'],
    applications.map((one) => [
      link(desk, at`/applications/${one.client_id}`, short(one.client_id)),
      short(one.client_name ?? ''),
    ]),
    'None.',
  ),
)}
${explanation === undefined ? '' : part('Refused request', html`<p>${link(desk, `/explain?${new URLSearchParams({ id: q }).toString()}`, code(q))}: ${text(explanation.sentence)}</p>`)}`,
    }
  },
}

function found(
  desk: Desk,
  q: string,
): Promise<[readonly Person[], readonly Application[], ExplanationAnswer | undefined]> {
  const query = { q, limit: LIMIT }
  return Promise.all([
    listed<Person>(desk, 'list_users', query),
    listed<Application>(desk, 'list_clients', query),
    explained(desk, q),
  ])
}

async function listed<T>(desk: Desk, name: string, query: Record<string, string>): Promise<readonly T[]> {
  return desk.may(name) ? (await desk.ask<{ items: readonly T[] }>(name, { query })).body.items : []
}

async function explained(desk: Desk, id: string): Promise<ExplanationAnswer | undefined> {
  if (!REQUEST_ID.test(id) || !desk.may('read_explanation')) return undefined
  try {
    return (await desk.ask<ExplanationAnswer>('read_explanation', { params: { id } })).body
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not_found') return undefined
    throw error
  }
}

export const SEARCH_PAGES: readonly ConsolePage[] = [search]
