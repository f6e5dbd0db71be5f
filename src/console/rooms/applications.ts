import { indexingNote } from '../../admin/operation/list.ts'
import type { AnswerOf, OperationName } from '../../admin/operations.ts'
import { isClientIdUrl } from '../../clients/documents/client-id-url.ts'
import { grantsOf } from '../../clients/record/grant-types.ts'
import { matchesRedirectUri } from '../../clients/record/redirect-uri.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { lintTable } from '../edit.ts'
import { filters, line } from '../pages/fields.ts'
import {
  at,
  badge,
  code,
  exportOffer,
  type Fact,
  facts,
  link,
  offers,
  older,
  part,
  short,
  stateBadge,
  table,
  text,
  when,
  wrongs,
} from '../pages/parts.ts'
import type { ConsolePage } from '../rows.ts'

/** A client as the admin API answers. */
export type ShownClient = AnswerOf<'read_client'>

/** Facts that have a place of their own on the page. */
const APART = [
  ...[
    'client_id',
    'client_name',
    'state',
    'problems',
    'redirect_uris',
    'allowed_groups',
    'disabled',
    'fields',
  ],
  ...['secret', 'old_secret', 'secret_used_at', 'old_secret_used_at', 'old_secret_ends_at', 'is_public'],
]

const list: ConsolePage = {
  path: '/applications',
  operation: 'list_clients',
  async show(desk, { query: { q, cursor } }) {
    const { body } = await desk.ask('list_clients', {
      query: { q, cursor },
    })
    const rows = body.items.map((one) => [
      link(desk, at`/applications/${one.client_id}`, short(one.client_id)),
      short(one.client_name ?? ''),
      kindOf(one),
      one.allowed_groups === undefined ? 'everybody' : text(one.allowed_groups.join(', ') || 'nobody'),
      originOf(one),
      stateBadge(one.state),
    ])
    const empty =
      q === undefined
        ? html`No application is registered. ${desk.may('create_client') ? link(desk, '/applications/new', 'Register the first') : ''}`
        : 'No client id is this, or begins like it.'
    return {
      title: 'Applications',
      section: 'applications',
      body: html`${filters(`${desk.base}/applications`, line({ name: 'q', label: 'Client id, or how it begins', value: q }))}${
        body.indexing
          ? html`
<p>${indexingNote('client')}</p>`
          : ''
      }
${table('Applications, in the order of their ids', ['Client id', 'Name', 'Kind', 'Who may use it', 'From', 'State'], rows, empty)}
${older(desk, '/applications', { q }, body.next)}
${exportOffer(desk, '/export/applications.csv', { q })}
${offers(desk, [{ path: '/applications/new', label: 'New application', operation: 'create_client' }], 'redmint:clients:write')}`,
    }
  },
}

const one: ConsolePage = {
  path: '/applications/:client_id',
  operation: 'read_client',
  async show(desk, { params, query }) {
    const { client_id = '' } = params
    const [{ body: application }, { body: lint }] = await Promise.all([
      desk.ask('read_client', { params: { client_id } }),
      desk.ask('lint_client', { params: { client_id } }),
    ])
    return {
      title: String(application.client_name ?? client_id),
      section: 'applications',
      body: html`${tabs(desk, client_id)}${part('Facts', facts(factsOf(application)))}
${part('Redirect URIs', redirects(desk, application, query.uri))}
${part('Secrets', secrets(desk, application))}
${part('What lint says', lintTable(lint.findings))}
${part('All settings', facts(settingsOf(application)))}
${part('What you can do', actions(desk, application))}`,
    }
  },
}

function tabs(desk: Desk, client_id: string): Html {
  const query = new URLSearchParams({ client_id }).toString()
  return html`<ul class="tabs">
<li>${link(desk, at`/applications/${client_id}`, 'Facts')}</li>
<li>${link(desk, at`/applications/${client_id}/grants`, 'People with access')}</li>
<li>${link(desk, at`/applications/${client_id}/settings`, 'Settings to paste')}</li>
<li>${link(desk, at`/applications/${client_id}/try`, 'Try the sign-in')}</li>
${desk.may('list_explanations') ? html`<li>${link(desk, `/explain?${query}`, 'Refusals')}</li>` : ''}
${desk.may('list_events') ? html`<li>${link(desk, `/events?${query}`, 'Events')}</li>` : ''}
</ul>
`
}

const kindOf = ({ is_public, grant_types }: ShownClient): string => {
  const grants = Array.isArray(grant_types) ? grant_types : []
  if (grantsOf('client', grants).length > 0 && grantsOf('user', grants).length === 0) return 'machine'
  return is_public === true ? 'public' : 'confidential'
}

const originOf = ({ client_id, state, managed_by, registered_at }: ShownClient): Html | string => {
  if (managed_by !== undefined) return html`file ${short(managed_by)}`
  if (registered_at !== undefined) return 'registered itself'
  if (isClientIdUrl(client_id)) return 'describes itself by a document'
  return state === 'demo' ? 'demo mode' : 'an operator'
}

const managedBy = ({ managed_by, undeclared }: ShownClient): Html | undefined => {
  if (managed_by === undefined) return undefined
  return undeclared === true
    ? html`file ${short(managed_by)}, which does not have it any more: <code>redmint apply --prune</code> removes it`
    : html`file ${short(managed_by)}: change it there`
}

function factsOf(application: ShownClient): Fact[] {
  const { client_id, state, allowed_groups, problems } = application
  return [
    ['Client id', code(client_id)],
    ['State', stateBadge(state)],
    ['Kind', kindOf(application)],
    ['What is wrong', wrongs(problems)],
    [
      'Who may use it',
      allowed_groups === undefined ? 'everybody' : text(allowed_groups.join(', ') || 'nobody'),
    ],
    ['From', originOf(application)],
    ['Managed by', managedBy(application)],
  ]
}

function redirects(
  desk: Desk,
  { client_id, redirect_uris = [], application_type = 'web' }: ShownClient,
  uri: string | undefined,
): Html {
  if (redirect_uris.length === 0)
    return html`<p class="empty">None: nobody comes back to it from a page of a sign-in.</p>`
  const rows = redirect_uris.map((one) => [code(one)])
  const tester = filters(
    `${desk.base}${at`/applications/${client_id}`}`,
    line({ name: 'uri', label: 'Paste the redirect_uri that your application sends', value: uri }),
  )
  const is_known = uri !== undefined && matchesRedirectUri(uri, redirect_uris, application_type)
  const result = is_known ? badge('is registered', 'good') : badge('is not registered', 'bad')
  return html`${table('Registered, compared character by character', ['Redirect URI'], rows, '')}
${tester}${uri ? html`<p role="status">${code(uri)} ${result}</p>` : ''}`
}

function secrets(desk: Desk, application: ShownClient): Html {
  const { secret, old_secret, secret_used_at, old_secret_used_at, old_secret_ends_at } = application
  return facts([
    ['Secret', secret === 'set' ? html`set; last used: ${when(secret_used_at, desk)}` : 'none'],
    [
      'Old secret',
      old_secret === 'set'
        ? html`set; last used: ${when(old_secret_used_at, desk)}; ends: ${when(old_secret_ends_at, desk)}`
        : 'none',
    ],
  ])
}

const settingsOf = (application: ShownClient): Fact[] =>
  [
    ...Object.entries(application).filter(([name]) => !APART.includes(name)),
    ...Object.entries(application.fields ?? {}),
  ].map(([name, value]) => [name, text(value)] as const)

function actions(desk: Desk, { client_id, state, old_secret, is_public }: ShownClient): Html {
  const offer = (label: string, path: string, operation: OperationName) => ({
    label,
    path: at`/applications/${client_id}` + path,
    operation,
  })
  return offers(
    desk,
    [
      offer('Edit', '/edit', 'change_client'),
      ...(is_public === true ? [] : [offer('New secret', '/secret', 'rotate_client_secret')]),
      ...(old_secret === 'set'
        ? [offer('End the old secret', '/end-old-secret', 'end_old_client_secret')]
        : []),
      offer('End all sign-ins', '/end-grants', 'end_grants_of_client'),
      state === 'disabled'
        ? offer('Enable', '/enable', 'enable_client')
        : offer('Disable', '/disable', 'disable_client'),
      offer('Remove', '/remove', 'delete_client'),
    ],
    'redmint:clients:write',
  )
}

export const APPLICATION_PAGES: readonly ConsolePage[] = [list, one]
/** The links between the pages of an application. */
export const applicationTabs = tabs
