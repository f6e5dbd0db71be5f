import { html } from '../../pages/html.ts'
import { lastOf } from '../action.ts'
import { paramsOf } from '../desk.ts'
import {
  type Fact,
  facts,
  link,
  type Offer,
  offers,
  older,
  part,
  short,
  stateBadge,
  table,
  text,
  wrongs,
} from '../pages/parts.ts'
import { segmentOf } from '../place.ts'
import { labelOf } from '../record-form.ts'
import type { ConsolePage } from '../rows.ts'
import { SIMPLE, type SimpleRows } from './simple.ts'

const calledOf = ({ name, resource_name }: Readonly<Record<string, unknown>>) => name ?? resource_name ?? ''

const WRITE = 'redmint:apis:write'

function pagesOf({ section, title, path, id, empty, noted }: SimpleRows): ConsolePage[] {
  const nameOf = (item: Readonly<Record<string, unknown>>) => String(item[id])
  const pathOf = (name: string) => `${path}/${segmentOf(name)}`
  const list: ConsolePage = {
    path,
    operation: `list_${id}s`,
    async show(desk, { query: { cursor } }) {
      const [{ body }, notes] = await Promise.all([
        desk.ask(`list_${id}s`, { query: { cursor } }),
        noted?.read(desk),
      ])
      const columns = noted?.columns ?? []
      const rows = body.items.map((item) => [
        link(desk, pathOf(nameOf(item)), short(nameOf(item))),
        short(calledOf(item)),
        stateBadge(item.state),
        ...(notes?.get(nameOf(item)) ?? columns.map(() => '')),
      ])
      return {
        title,
        section,
        body: html`${off(desk.off(`list_${id}s`))}${table(`${title}, in the order of their ids`, ['Id', 'Name', 'State', ...columns], rows, empty)}
${older(desk, path, {}, body.next)}
${offers(desk, [{ path: `${path}/new`, label: 'Add', operation: `create_${id}` }], WRITE)}`,
      }
    },
  }
  const page: ConsolePage = {
    path: `${path}/:${id}`,
    operation: `read_${id}`,
    async show(desk, given) {
      const [{ body }, notes] = await Promise.all([
        desk.ask(`read_${id}`, { params: paramsOf(`read_${id}`, given.params) }),
        noted?.read(desk),
      ])
      const of_it = notes?.get(nameOf(body)) ?? []
      const at_it = pathOf(lastOf(given))
      const { state, problems, fields = {}, ...others } = body
      const rows: Fact[] = [
        ['State', stateBadge(state)],
        ['What is wrong', wrongs(problems)],
        ...Object.entries({ ...others, ...fields }).map(
          ([name, value]) => [labelOf(id, name), text(value)] as const,
        ),
      ]
      const more: readonly Offer[] =
        id === 'provider'
          ? [
              { path: `${at_it}/secret`, label: 'Set the secret', operation: 'set_provider_secret' },
              { path: `${at_it}/test`, label: 'Test', operation: 'test_provider' },
            ]
          : []
      return {
        title: lastOf(given),
        section,
        body: html`${part('Facts', facts(rows))}
${noted === undefined ? '' : part('What became of it', facts(noted.columns.map((column, i) => [column, of_it[i] ?? ''])))}
${part(
  'What you can do',
  offers(
    desk,
    [
      { path: `${at_it}/edit`, label: 'Edit', operation: `change_${id}` },
      ...more,
      { path: `${at_it}/remove`, label: 'Remove', operation: `delete_${id}` },
    ],
    WRITE,
  ),
)}`,
      }
    },
  }
  return [list, page]
}

const off = (why: string | undefined) => (why === undefined ? '' : html`<p class="empty">${why}</p>\n`)

/** Providers have a list of their own. */
export const RECORD_PAGES: readonly ConsolePage[] = SIMPLE.flatMap(pagesOf).filter(
  ({ path }) => path !== '/providers',
)
