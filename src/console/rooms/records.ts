import type { ExaminedAnswer } from '../../admin/providers/operations.ts'
import { html } from '../../pages/html.ts'
import { editAction, recordFields } from '../edit.ts'
import { mistyped } from '../mistyped.ts'
import { hidden, line } from '../pages/fields.ts'
import {
  badge,
  code,
  facts,
  link,
  offers,
  older,
  part,
  short,
  stateBadge,
  table,
  text,
} from '../pages/parts.ts'
import { fieldsOf, patchOf } from '../record-form.ts'
import type { ConsoleAction, ConsolePage, Given } from '../rows.ts'
import type { SectionName } from '../sections.ts'

/** A kind of plain record: a list, a page, and forms to add, edit and remove one. */
interface Plain {
  readonly section: SectionName
  /** "API" */
  readonly noun: string
  readonly title: string
  /** Of the list, below the console. */
  readonly path: string
  /** The field with the id, and the name of the parameter in paths. */
  readonly id: string
  /** What operations are called: `list_resources`, `read_resource`. */
  readonly one: string
  readonly many: string
  /** The fields at the top of forms. */
  readonly first: readonly string[]
  readonly empty: string
}

type Stored = Readonly<Record<string, unknown>> & { readonly state: string }

const WRITE = 'redmint:apis:write'
const idOf = ({ params }: Given) => Object.values(params)[0] ?? ''

function pagesOf({ section, title, path, id, one, many, empty }: Plain): ConsolePage[] {
  const nameOf = (item: Stored) => String(item[id])
  const pathOf = (name: string) => `${path}/${encodeURIComponent(name)}`
  const list: ConsolePage = {
    path,
    operation: `list_${many}`,
    async show(desk, { query: { cursor } }) {
      const { body } = await desk.ask<{ items: readonly Stored[]; next?: string }>(`list_${many}`, {
        query: { cursor },
      })
      const rows = body.items.map((item) => [
        link(desk, pathOf(nameOf(item)), short(nameOf(item))),
        short(item.name ?? item.resource_name ?? ''),
        stateBadge(item.state),
      ])
      return {
        title,
        section,
        body: html`${table(`${title}, in the order of their ids`, ['Id', 'Name', 'State'], rows, empty)}
${older(desk, path, {}, body.next)}
${offers(desk, [{ path: `${path}/new`, label: 'Add', operation: `create_${one}` }], WRITE)}`,
      }
    },
  }
  const page: ConsolePage = {
    path: `${path}/:${id}`,
    operation: `read_${one}`,
    async show(desk, given) {
      const { body } = await desk.ask<Stored>(`read_${one}`, { params: given.params })
      const at_it = pathOf(idOf(given))
      const rows = Object.entries(body).map(([name, value]) =>
        name === 'state'
          ? (['state', stateBadge(value)] as const)
          : ([name, Array.isArray(value) ? text(value.join('\n')) : text(value)] as const),
      )
      const more =
        one === 'provider'
          ? [
              { path: `${at_it}/secret`, label: 'Set the secret', operation: 'set_provider_secret' },
              { path: `${at_it}/test`, label: 'Test', operation: 'test_provider' },
            ]
          : []
      return {
        title: idOf(given),
        section,
        body: html`${part('Facts', facts(rows))}
${part(
  'What you can do',
  offers(
    desk,
    [
      { path: `${at_it}/edit`, label: 'Edit', operation: `change_${one}` },
      ...more,
      { path: `${at_it}/remove`, label: 'Remove', operation: `delete_${one}` },
    ],
    WRITE,
  ),
)}`,
      }
    },
  }
  return [list, page]
}

function actionsOf({ section, noun, path, id, one, first }: Plain): ConsoleAction[] {
  const params = (given: Given) => given.params
  const back = (given: Given) => `${path}/${encodeURIComponent(idOf(given))}`
  const create: ConsoleAction = {
    path: `${path}/new`,
    operation: `create_${one}`,
    ask: async (_desk, { form }) => ({
      title: `Add ${noun}`,
      section,
      lead: html`<p>What is left empty has its default.</p>`,
      fields: html`${line({ name: id, label: id, value: form[id], required: true })}${recordFields(newFields(), form, first)}`,
      verb: 'Add',
      back: path,
    }),
    async act(desk, { form }) {
      const name = form[id] ?? ''
      await desk.ask(`create_${one}`, { body: { ...patchOf(newFields(), {}, form), [id]: name } })
      return { to: `${path}/${encodeURIComponent(name)}`, done: 'created' }
    },
  }
  const newFields = () => fieldsOf(`create_${one}`).filter(({ name }) => name !== id)
  const remove: ConsoleAction = {
    path: `${path}/:${id}/remove`,
    operation: `delete_${one}`,
    async ask(desk, given) {
      const { version } = await desk.ask(`read_${one}`, { params: params(given) })
      return {
        title: `Remove ${idOf(given)}?`,
        section,
        lead: html`<p>It is removed for good, within a second on all servers. What depends on it is refused from then on.</p>`,
        fields: html`${hidden('version', version)}${line({ name: 'typed', label: 'Type its id', hint: 'So that nothing is removed by mistake', required: true })}`,
        verb: 'Remove',
        is_danger: true,
        back: back(given),
      }
    },
    async act(desk, given) {
      const { typed, version } = given.form
      if (typed !== idOf(given)) throw mistyped('id')
      await desk.ask(`delete_${one}`, { params: params(given), version })
      return { to: path, done: 'removed' }
    },
  }
  const edit = editAction({
    section,
    noun,
    path: `${path}/:${id}` as `/${string}/:${string}`,
    read: `read_${one}`,
    change: `change_${one}`,
    first,
  })
  return [create, edit, remove]
}

const setSecret: ConsoleAction = {
  path: '/providers/:provider/secret',
  operation: 'set_provider_secret',
  ask: async (_desk, given) => ({
    title: `Set the secret of ${idOf(given)}`,
    section: 'providers',
    lead: html`<p>The secret that the provider gave redmint. It replaces the one there is, and is never shown.</p>`,
    fields: line({ name: 'client_secret', label: 'Secret', required: true }, 'password'),
    verb: 'Set the secret',
    back: `/providers/${encodeURIComponent(idOf(given))}`,
  }),
  async act(desk, given) {
    const { client_secret = '' } = given.form
    await desk.ask('set_provider_secret', { params: given.params, body: { client_secret } })
    return { to: `/providers/${encodeURIComponent(idOf(given))}`, done: 'secret_set' }
  },
}

const test: ConsoleAction = {
  path: '/providers/:provider/test',
  operation: 'test_provider',
  ask: async (_desk, given) => ({
    title: `Test ${idOf(given)}?`,
    section: 'providers',
    lead: html`<p>redmint asks the provider for its settings, and shows whether it takes the secret and the address to come back to. Nobody is signed in.</p>`,
    verb: 'Test',
    back: `/providers/${encodeURIComponent(idOf(given))}`,
  }),
  async act(desk, given) {
    const { body } = await desk.ask<ExaminedAnswer>('test_provider', { params: given.params })
    return {
      title: `What the test of ${idOf(given)} found`,
      section: 'providers',
      body: html`${table(
        'Checks',
        ['About', 'Result', 'What it means'],
        body.checks.map(({ about, result, detail }) => [
          about,
          badge(result, result === 'ok' ? 'good' : result === 'wrong' ? 'bad' : 'plain'),
          text(detail),
        ]),
        'Nothing was checked.',
      )}
<p>${link(desk, `/providers/${encodeURIComponent(idOf(given))}`, code(idOf(given)))}</p>`,
    }
  },
}

const PLAIN: readonly Plain[] = [
  {
    section: 'providers',
    noun: 'a provider',
    title: 'Providers',
    path: '/providers',
    id: 'provider',
    one: 'provider',
    many: 'providers',
    first: ['kind', 'name', 'issuer', 'client_id', 'scope', 'creates_users', 'links_by_email'],
    empty: 'Nobody signs in by another site. Add a provider, such as Google or your company.',
  },
  {
    section: 'apis',
    noun: 'an API',
    title: 'APIs',
    path: '/apis',
    id: 'resource',
    one: 'resource',
    many: 'resources',
    first: ['resource_name', 'scopes', 'access_token_format', 'access_token_ttl'],
    empty: 'No API is registered: tokens are for this server. Add one to have tokens for it alone.',
  },
  {
    section: 'issuers',
    noun: 'a trusted issuer',
    title: 'Trusted issuers',
    path: '/issuers',
    id: 'issuer',
    one: 'issuer',
    many: 'issuers',
    first: ['jwks_uri', 'algorithms', 'audience'],
    empty: 'No other issuer is trusted: its assertions would stand for clients and people.',
  },
]

export const RECORD_PAGES: readonly ConsolePage[] = PLAIN.flatMap(pagesOf)
export const RECORD_ACTIONS: readonly ConsoleAction[] = [...PLAIN.flatMap(actionsOf), setSecret, test]
