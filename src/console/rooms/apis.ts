import type { AnswerOf } from '../../admin/operations.ts'
import { html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { acts, mayOnlySee } from '../pages/actions.ts'
import { chipList, findBox, listHead } from '../pages/chips.ts'
import { empty, panel, sheet } from '../pages/panel.ts'
import { at, code, durationWords, facts, oddState, older, short, table } from '../pages/parts.ts'
import { choiceWords } from '../record-form.ts'
import type { ConsolePage } from '../rows.ts'
import {
  addButton,
  applicationsPanel,
  besideRecord,
  countOf,
  fieldFact,
  removal,
  storedFacts,
} from './record-parts.ts'

type Api = AnswerOf<'read_resource'>

const PATH = '/apis'
const LEAD = 'Services that take the access tokens of this server.'
/** So many scopes are named in a row. */
const NAMED = 3

const calledOf = ({ resource, resource_name }: Api): string => String(resource_name || resource)

const list: ConsolePage = {
  path: PATH,
  operation: 'list_resources',
  async show(desk, { query: { cursor, q } }) {
    const { body } = await desk.ask('list_resources', { query: { cursor, q } })
    const add = addButton(desk, PATH, 'Add API', 'create_resource')
    if (body.items.length === 0 && !cursor && !q)
      return {
        title: 'APIs',
        section: 'apis',
        head: { lead: LEAD },
        body: empty(
          'braces',
          'No API yet',
          'An API has an address and scopes, such as orders.read. Applications ask for tokens that count only there, and people see what they allow.',
          add,
        ),
      }
    const columns = [
      'Name',
      { label: 'Scopes', is_minor: true, absent: 'any' },
      { label: 'Access tokens', is_minor: true },
    ] as const
    return {
      title: 'APIs',
      section: 'apis',
      head: {
        beside: countOf(body.items.length, body.next, cursor, q),
        lead: LEAD,
        actions: add,
      },
      body: html`${listHead(findBox({ action: desk.base + PATH, name: 'q', label: 'Name or address', value: q }), '')}${sheet(
        table(
          'APIs, in the order of their addresses',
          columns,
          body.items.map((one) => [
            html`<div class="who"><span class="app">${icon('braces')}</span><div><a class="name" href="${desk.base}${at`/apis/${one.resource}`}">${short(calledOf(one))}</a> ${oddState(one.state)}<small class="address">${short(one.resource)}</small></div></div>`,
            scopesOf(one),
            tokensOf(one),
          ]),
          'No API is called so.',
        ),
        older(desk, PATH, { q }, body.next, 'Next'),
      )}`,
    }
  },
}

const scopesOf = ({ scopes = [] }: Api) => {
  const rest = scopes.length - NAMED
  return html`${chipList(scopes.slice(0, NAMED))}${rest > 0 ? html` <span class="quiet">and ${String(rest)} more</span>` : ''}`
}

/** What tokens for it are, in a line. */
function tokensOf({ access_token_format, access_token_ttl }: Api): string {
  const format =
    access_token_format === undefined
      ? undefined
      : choiceWords('resource', 'access_token_format', String(access_token_format))
  const span = access_token_ttl === undefined ? undefined : `for ${durationWords(Number(access_token_ttl))}`
  return [format, span].filter((one) => one !== undefined).join(', ') || 'as each application says'
}

const one: ConsolePage = {
  path: `${PATH}/:resource`,
  operation: 'read_resource',
  async show(desk, { params: { resource = '' } }) {
    const [{ body: api }, lint] = await Promise.all([
      desk.ask('read_resource', { params: { resource } }),
      desk.ask('lint_resources', { query: { resource } }),
    ])
    const { scopes = [], state, fields } = api
    const page = at`/apis/${resource}`
    const name = calledOf(api)
    return {
      title: name,
      section: 'apis',
      head: {
        path: [['APIs', PATH], [name]],
        mark: html`<span class="app large">${icon('braces')}</span>`,
        beside: oddState(state),
        lead: name === resource ? LEAD : short(resource),
        actions: acts(desk, [
          {
            path: `${page}/edit`,
            label: 'Edit',
            operation: 'change_resource',
            icon: 'pencil',
            is_main: true,
          },
        ]),
      },
      body: html`${mayOnlySee(desk, ['change_resource', 'delete_resource'], 'redmint:apis:write')}<div class="two">
<div>
${panel(
  { title: 'Tokens for it' },
  facts([
    fieldFact('resource', api, 'scopes', 'any'),
    fieldFact('resource', api, 'access_token_format', 'as each application says'),
    fieldFact('resource', api, 'access_token_ttl', 'as long as each application says'),
    fieldFact('resource', api, 'access_token_signed_response_alg'),
    ...storedFacts('resource', fields),
  ]),
)}${await applicationsPanel(
  desk,
  'Who may ask for its scopes',
  ({ allowed_scopes = [] }) => scopes.some((scope) => allowed_scopes.includes(scope)),
  scopes.length === 0
    ? 'It names no scopes: any application may ask for a token for it.'
    : 'No application may ask for one of its scopes yet: allow them at the application.',
)}</div>
${besideRecord('resource', [['Address', code(resource)]], api, lint.body.items)}
<div>${removal(desk, page, 'delete_resource', 'No application gets a token for it any more, and those there are do not count.')}</div>
</div>`,
    }
  },
}

export const API_PAGES: readonly ConsolePage[] = [list, one]
