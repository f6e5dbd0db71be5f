import type { AnswerOf } from '../../admin/operations.ts'
import { html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import { acts, mayOnlySee } from '../pages/actions.ts'
import { empty, panel, sheet } from '../pages/panel.ts'
import { at, code, facts, oddState, older, short, table, text } from '../pages/parts.ts'
import { choiceWords, labelOf } from '../record-form.ts'
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

type Issuer = AnswerOf<'read_issuer'>

const PATH = '/issuers'
const LEAD = 'Other servers whose word this one takes, so that a job or a machine needs no secret.'

/** Whom it vouches for, in a word or two. */
const whomOf = ({ profile = 'workload' }: Issuer): string =>
  choiceWords('issuer', 'profile', String(profile)).replace(/,.*/, '')

const list: ConsolePage = {
  path: PATH,
  operation: 'list_issuers',
  async show(desk, { query: { cursor } }) {
    const { body } = await desk.ask('list_issuers', { query: { cursor } })
    const add = addButton(desk, PATH, 'Add trusted issuer', 'create_issuer')
    const off = desk.off('list_issuers')
    const switched_off = off === undefined ? '' : html`<p class="down">${off}</p>\n`
    if (body.items.length === 0 && !cursor)
      return {
        title: 'Trusted issuers',
        section: 'issuers',
        head: { lead: LEAD },
        body: html`${switched_off}${empty(
          'shield',
          'No other issuer is trusted yet',
          'A job at GitHub, a pod or a virtual machine has a token of its platform already. If its issuer is trusted here, this token stands for an application, and there is no secret to keep.',
          add,
        )}`,
      }
    const columns = [
      'Issuer',
      { label: 'Vouches for', is_minor: true },
      { label: 'Which assertions count', is_minor: true, absent: 'all of them' },
    ] as const
    return {
      title: 'Trusted issuers',
      section: 'issuers',
      head: {
        beside: countOf(body.items.length, body.next, cursor),
        lead: LEAD,
        actions: add,
      },
      body: html`${switched_off}${sheet(
        table(
          'Trusted issuers, in the order of their addresses',
          columns,
          body.items.map((one) => [
            html`<div class="who"><span class="app">${icon('shield')}</span><div><a class="name" href="${desk.base}${at`/issuers/${one.issuer}`}">${short(hostOf(one.issuer))}</a> ${oddState(one.state)}<small class="address">${short(one.issuer)}</small></div></div>`,
            whomOf(one),
            text((one.conditions ?? []).join('\n')),
          ]),
          'There are no more.',
        ),
        older(desk, PATH, {}, body.next, 'Next'),
      )}`,
    }
  },
}

/** The host of an issuer that is an address; the issuer itself if it is none. */
export const hostOf = (issuer: string): string => /^https?:\/\/([^/]+)/.exec(issuer)?.[1] ?? issuer

const one: ConsolePage = {
  path: `${PATH}/:issuer`,
  operation: 'read_issuer',
  async show(desk, { params: { issuer = '' } }) {
    const [{ body: found }, lint] = await Promise.all([
      desk.ask('read_issuer', { params: { issuer } }),
      desk.ask('lint_issuers', { query: { issuer } }),
    ])
    const { state, fields, profile } = found
    const page = at`/issuers/${issuer}`
    const fact = (name: string, absent?: string) => fieldFact('issuer', found, name, absent)
    const of_people = profile === 'id-jag'
    return {
      title: hostOf(issuer),
      section: 'issuers',
      head: {
        path: [['Trusted issuers', PATH], [hostOf(issuer)]],
        mark: html`<span class="app large">${icon('shield')}</span>`,
        beside: oddState(state),
        lead: `Vouches for ${whomOf(found).toLowerCase()}`,
        actions: acts(desk, [
          { path: `${page}/edit`, label: 'Edit', operation: 'change_issuer', icon: 'pencil', is_main: true },
        ]),
      },
      body: html`${mayOnlySee(desk, ['change_issuer', 'delete_issuer'], 'redmint:apis:write')}<div class="two">
<div>
${panel(
  { title: 'Which assertions count' },
  facts([
    [
      labelOf('issuer', 'conditions'),
      found.conditions?.length ? text(found.conditions) : 'nothing: everybody at this issuer counts',
    ],
    ...(of_people
      ? [fact('account_by'), fact('scopes', 'all that the application may have')]
      : [fact('uses', 'tokens, and to prove who an application is')]),
    fact('reusable', 'no'),
  ]),
)}${panel(
  { title: 'How they are checked' },
  facts([
    fact('jwks_uri', found.jwks === undefined ? 'found by its own description' : 'given as JSON'),
    fact('audience', 'this server'),
    fact('algorithms'),
    fact('max_lifetime'),
    fact('clock_skew'),
    ...storedFacts('issuer', fields),
  ]),
)}${found.jwks === undefined ? '' : panel({ title: 'More' }, html`<details class="more"><summary>Its keys</summary><pre tabindex="0">${text(found.jwks)}</pre></details>`)}${
  of_people
    ? ''
    : await applicationsPanel(
        desk,
        'Applications that it vouches for',
        ({ assertion_issuer }) => assertion_issuer === issuer,
        'None yet: name it at an application, with the subject of its assertions.',
      )
}</div>
${besideRecord('issuer', [['Issuer', code(issuer)]], found, lint.body.items)}
<div>${removal(desk, page, 'delete_issuer', 'What it vouches for is refused from then on.')}</div>
</div>`,
    }
  },
}

export const ISSUER_PAGES: readonly ConsolePage[] = [list, one]
