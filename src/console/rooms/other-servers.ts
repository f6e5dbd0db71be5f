import type { AnswerOf } from '../../admin/operations.ts'
import { html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { acts, mayOnlySee } from '../pages/actions.ts'
import { empty, panel, sheet } from '../pages/panel.ts'
import { at, code, facts, oddState, older, short, table, text } from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'
import { hostOf } from './issuers.ts'
import { addButton, besideRecord, countOf, fieldFact, removal, storedFacts } from './record-parts.ts'

type OtherServer = AnswerOf<'read_application'>

const PATH = '/other-servers'
const LEAD = 'Where applications may act for the people of this server, without asking them again.'

const nameOf = ({ application, application_name }: OtherServer): string =>
  application_name ?? hostOf(application)

const list: ConsolePage = {
  path: PATH,
  operation: 'list_applications',
  async show(desk, { query: { cursor } }) {
    const { body } = await desk.ask('list_applications', { query: { cursor } })
    const add = addButton(desk, PATH, 'Add other server', 'create_application')
    const page = { title: 'Other servers', section: 'other-servers' } as const
    if (body.items.length === 0 && !cursor)
      return {
        ...page,
        head: { lead: LEAD },
        body: empty(
          'arrow',
          'No other server is known yet',
          'An agent that people sign in to here may need the tools of another company. If the server there takes the word of this one, the agent gets in for a person, and nobody is asked a second time.',
          add,
        ),
      }
    const columns = [
      'Other server',
      { label: 'Applications that may ask', is_minor: true, absent: 'none' },
      { label: 'Scopes', is_minor: true, absent: 'none' },
    ] as const
    return {
      ...page,
      head: { beside: countOf(body.items.length, body.next, cursor), lead: LEAD, actions: add },
      body: sheet(
        table(
          'Other servers, in the order of their addresses',
          columns,
          body.items.map((one) => [
            html`<div class="who"><span class="app">${icon('arrow')}</span><div><a class="name" href="${desk.base}${at`/other-servers/${one.application}`}">${short(nameOf(one))}</a> ${oddState(one.state)}<small class="address">${short(one.application)}</small></div></div>`,
            text((one.clients ?? []).join('\n')),
            text((one.scopes ?? []).join('\n')),
          ]),
          'There are no more.',
        ),
        older(desk, PATH, {}, body.next, 'Next'),
      ),
    }
  },
}

const one: ConsolePage = {
  path: `${PATH}/:application`,
  operation: 'read_application',
  async show(desk, { params: { application = '' } }) {
    const [{ body: found }, lint] = await Promise.all([
      desk.ask('read_application', { params: { application } }),
      desk.ask('lint_applications', { query: { application } }),
    ])
    const page = at`/other-servers/${application}`
    const fact = (name: string, absent?: string) => fieldFact('application', found, name, absent)
    return {
      title: nameOf(found),
      section: 'other-servers',
      head: {
        path: [['Other servers', PATH], [nameOf(found)]],
        mark: html`<span class="app large">${icon('arrow')}</span>`,
        beside: oddState(found.state),
        lead: 'Takes the word of this server about its people',
        actions: acts(desk, [
          {
            path: `${page}/edit`,
            label: 'Edit',
            operation: 'change_application',
            icon: 'pencil',
            is_main: true,
          },
        ]),
      },
      body: html`${mayOnlySee(desk, ['change_application', 'delete_application'], 'redmint:apis:write')}<div class="two">
<div>
${panel(
  { title: 'Who may act there, and for whom' },
  facts([fact('clients', 'no application'), fact('allowed_groups', 'everybody who may use the application')]),
)}${panel(
  { title: 'What for' },
  facts([fact('resources', 'nothing: there are no assertions'), fact('scopes', 'none')]),
)}${panel(
  { title: 'What is said of a person' },
  facts([
    fact('subject_of', 'the sub of the account'),
    fact('says_email', 'no'),
    fact('assertion_signing_alg', 'as ID_TOKEN_ALG says'),
    ...storedFacts('application', found.fields),
  ]),
)}</div>
${besideRecord('application', [['Issuer', code(application)]], found, lint.body.items)}
<div>${removal(desk, page, 'delete_application', 'No application acts there for people from then on.')}</div>
</div>`,
    }
  },
}

export const OTHER_SERVER_PAGES: readonly ConsolePage[] = [list, one]
