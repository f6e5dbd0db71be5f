import type { AnswerOf } from '../../admin/operations.ts'
import { parseJson } from '../../core/json.ts'
import { html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { acts, mayOnlySee } from '../pages/actions.ts'
import { findBox, listHead } from '../pages/chips.ts'
import { empty, panel, sheet } from '../pages/panel.ts'
import { at, type Fact, facts, oddState, older, short, table } from '../pages/parts.ts'
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

type DetailType = AnswerOf<'read_detail_type'>

const PATH = '/details'
const LEAD = 'What applications ask people for one by one, such as a payment.'

const sentencesOf = ({ text = {} }: DetailType): [language: string, sentence: string][] =>
  Object.entries(text).map(([language, sentence]) => [language, String(sentence)])

const firstSentence = (type: DetailType): string => {
  const sentences = new Map(sentencesOf(type))
  return sentences.get('en') ?? [...sentences.values()][0] ?? ''
}

const list: ConsolePage = {
  path: PATH,
  operation: 'list_detail_types',
  async show(desk, { query: { cursor, q } }) {
    const { body } = await desk.ask('list_detail_types', { query: { cursor, q } })
    const add = addButton(desk, PATH, 'Add type', 'create_detail_type')
    if (body.items.length === 0 && !cursor && !q)
      return {
        title: 'Details',
        section: 'details',
        head: { lead: LEAD },
        body: empty(
          'list',
          'No type of details yet',
          'A scope says what an application may do in general. A type of details says what it asks for this time: people read a sentence with the values, and allow just that.',
          add,
        ),
      }
    return {
      title: 'Details',
      section: 'details',
      head: { beside: countOf(body.items.length, body.next, cursor, q), lead: LEAD, actions: add },
      body: html`${listHead(findBox({ action: desk.base + PATH, name: 'q', label: 'Type', value: q }), '')}${sheet(
        table(
          'Types of details, in the order of their names',
          ['Type', { label: 'What people read', is_minor: true }],
          body.items.map((one) => [
            html`<div class="who"><span class="app">${icon('list')}</span><div><a class="name" href="${desk.base}${at`/details/${one.detail_type}`}">${short(one.detail_type)}</a> ${oddState(one.state)}</div></div>`,
            short(firstSentence(one)),
          ]),
          'No type is called so.',
        ),
        older(desk, PATH, { q }, body.next, 'Next'),
      )}`,
    }
  },
}

const one: ConsolePage = {
  path: `${PATH}/:detail_type`,
  operation: 'read_detail_type',
  async show(desk, { params: { detail_type = '' } }) {
    const [{ body: type }, lint] = await Promise.all([
      desk.ask('read_detail_type', { params: { detail_type } }),
      desk.ask('lint_detail_types', { query: { detail_type } }),
    ])
    const { state, fields, schema } = type
    const page = at`/details/${detail_type}`
    const sentences = sentencesOf(type).map(([language, sentence]): Fact => [language, short(sentence)])
    return {
      title: detail_type,
      section: 'details',
      head: {
        path: [['Details', PATH], [detail_type]],
        mark: html`<span class="app large">${icon('list')}</span>`,
        beside: oddState(state),
        lead: LEAD,
        actions: acts(desk, [
          {
            path: `${page}/edit`,
            label: 'Edit',
            operation: 'change_detail_type',
            icon: 'pencil',
            is_main: true,
          },
        ]),
      },
      body: html`${mayOnlySee(desk, ['change_detail_type', 'delete_detail_type'], 'redmint:apis:write')}<div class="two">
<div>
${panel(
  { title: 'What people are asked' },
  facts([
    ...sentences,
    fieldFact('detail_type', type, 'remember', 'no'),
    fieldFact('detail_type', type, 'pushed', 'no'),
    ...storedFacts('detail_type', fields),
  ]),
)}${schema === undefined ? '' : panel({ title: 'Schema' }, html`<pre>${indented(String(schema))}</pre>`)}${await applicationsPanel(
  desk,
  'Who may ask for it',
  ({ authorization_details_types = [] }) => authorization_details_types.includes(detail_type),
  'No application may ask for it yet: add it at the application, among its types of details.',
)}</div>
${besideRecord('detail_type', [['Type', short(detail_type)]], type, lint.body.items)}
<div>${removal(desk, page, 'delete_detail_type', 'No application gets it any more, and tokens are reported without it.')}</div>
</div>`,
    }
  },
}

function indented(schema: string): string {
  const value = parseJson(schema)
  return value === undefined ? schema : JSON.stringify(value, null, 2)
}

export const DETAIL_PAGES: readonly ConsolePage[] = [list, one]
