import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { acts, dangerZone, mayOnlySee } from '../pages/actions.ts'
import { panel } from '../pages/panel.ts'
import { at, code, type Fact, facts, oddState, stateBadge, text, when, wrongs } from '../pages/parts.ts'
import { labelOf, readable } from '../record-form.ts'
import type { ConsolePage } from '../rows.ts'
import { adviceOf } from './application-advice.ts'
import { orDescribed } from './application-described.ts'
import { kindLabel, kindMark, kindOf, managedBy, originOf, type ShownClient } from './application-kind.ts'
import { previewsPanel } from './application-previews.ts'
import { accessPanel, secretsPanel, signInPanel, tokensPanel } from './application-sections.ts'
import { applicationTabs } from './application-tabs.ts'
import { signsPeopleIn } from './try-sign-in.ts'

/** Facts that have a place of their own on the page, or are not for people to read. */
const APART = new Set([
  ...[
    'client_id',
    'client_name',
    'state',
    'problems',
    'fields',
    'redirect_uris',
    'post_logout_redirect_uris',
  ],
  ...[
    'first_party',
    'required_acr',
    'provider',
    'allowed_groups',
    'everybody',
    'allowed_scopes',
    'grant_types',
  ],
  ...[
    'access_token_format',
    'access_token_ttl',
    'refresh_tokens',
    'refresh_token_ttl',
    'refresh_token_rotation',
  ],
  ...['id_token_signed_response_alg', 'id_token_ttl', 'disabled', 'is_public', 'application_type'],
  ...['secret', 'old_secret', 'secret_used_at', 'old_secret_used_at', 'old_secret_ends_at', 'managed_by'],
  ...['client_secret_created_at', 'old_secret_created_at', 'registration_token', 'undeclared'],
])

const CHANGES = ['change_client', 'disable_client', 'delete_client'] as const

const one: ConsolePage = {
  path: '/applications/:client_id',
  operation: 'read_client',
  async show(desk, { params, query }) {
    const { client_id = '' } = params
    const [{ body: application }, { body: lint }, apis] = await Promise.all([
      desk.ask('read_client', { params: { client_id } }),
      desk.ask('lint_client', { params: { client_id } }),
      desk.may('list_resources') ? desk.ask('list_resources') : undefined,
    ])
    const kind = kindOf(application)
    const previews = await previewsPanel(desk, application)
    return {
      title: String(application.client_name ?? client_id),
      section: 'applications',
      head: {
        path: [['Applications', '/applications'], [client_id]],
        mark: kindMark(kind, 'large'),
        beside: oddState(application.state),
        lead: secretOf(kindLabel(kind), application),
        actions: actions(desk, application),
      },
      body: html`${applicationTabs(desk, client_id, '')}<div class="two">
<div>
${signInPanel(desk, application, query.uri)}${accessPanel(desk, application, apis?.body.items ?? [])}${tokensPanel(desk, application)}${secretsPanel(desk, application)}${previews}${othersPanel(desk, application)}</div>
<aside aria-label="About it">
${panel({ title: 'Facts' }, facts(factsOf(desk, application)))}${adviceOf(lint.findings)}</aside>
<div>${mayOnlySee(desk, CHANGES, 'redmint:clients:write')}${danger(desk, application)}</div>
</div>`,
    }
  },
}

const secretOf = (kind: string, { is_public }: ShownClient) =>
  is_public === true ? `${kind}, without a secret` : kind

function actions(desk: Desk, application: ShownClient): Html | '' {
  const { client_id, is_public, state, preview_of } = application
  const page = at`/applications/${client_id}`
  const query = new URLSearchParams({ client_id }).toString()
  const secret = {
    path: `${page}/secret`,
    label: 'Make a new secret',
    operation: 'rotate_client_secret',
  } as const
  return acts(
    desk,
    [
      ...(signsPeopleIn(application) ? [{ path: `${page}/try`, label: 'Try the sign-in' }] : []),
      ...(state === 'disabled'
        ? [{ path: `${page}/enable`, label: 'Enable', operation: 'enable_client' } as const]
        : []),
      // A preview is as its original is.
      ...(preview_of === undefined
        ? [
            {
              path: `${page}/edit`,
              label: 'Edit',
              operation: 'change_client',
              icon: 'pencil',
              is_main: true,
            } as const,
          ]
        : []),
    ],
    [
      { path: `/explain/what-if?${query}`, label: 'What if: may a person use it?', operation: 'what_if' },
      ...(is_public === true ? [] : [secret]),
    ],
  )
}

/** When one of its secrets was used last; undefined: it has none, and nobody notes its use. */
function lastUse(desk: Desk, application: ShownClient): Html | undefined {
  const { secret, secret_used_at, old_secret_used_at } = application
  if (secret !== 'set') return undefined
  const known = [secret_used_at, old_secret_used_at].filter((one) => typeof one === 'string')
  return when(known.toSorted().at(-1), desk)
}

const factsOf = (desk: Desk, application: ShownClient): Fact[] => [
  ['Client id', code(application.client_id)],
  ['Last used', lastUse(desk, application)],
  ['State', stateBadge(application.state)],
  ['What is wrong', wrongs(application.problems)],
  ['Made by', originOf(application)],
  ['Managed by', managedBy(application)],
]

/** What is set besides, in the words of its fields. */
function othersPanel(desk: Desk, application: ShownClient): Html | '' {
  const set = [
    ...Object.entries(application).filter(([name]) => !APART.has(name)),
    // Of a malformed record: as it is stored.
    ...Object.entries(application.fields ?? {}),
  ].map(([name, value]) => [labelOf('client', name), said(desk, readable('client', name, value))] as const)
  return set.length === 0 ? '' : panel({ title: 'Other settings' }, facts(set))
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

const said = (desk: Desk, value: unknown): Html | string =>
  typeof value === 'string' && INSTANT.test(value) ? when(value, desk) : text(value)

function danger(desk: Desk, { client_id, state, old_secret }: ShownClient): Html | '' {
  const page = at`/applications/${client_id}`
  return dangerZone(desk, [
    ...(old_secret === 'set'
      ? [
          {
            path: `${page}/end-old-secret`,
            label: 'End the old secret',
            operation: 'end_old_client_secret' as const,
            does: 'Who still has it cannot prove that it is the application.',
          },
        ]
      : []),
    {
      path: `${page}/end-grants`,
      label: 'End all sign-ins',
      operation: 'end_grants_of_client',
      does: 'People sign in to it again.',
    },
    ...(state === 'disabled'
      ? []
      : [
          {
            path: `${page}/disable`,
            label: 'Disable',
            operation: 'disable_client' as const,
            does: 'Nobody can sign in to it until it is enabled again.',
          },
        ]),
    {
      path: `${page}/remove`,
      label: 'Remove',
      operation: 'delete_client',
      does: 'It is gone for good, with its tokens.',
    },
  ])
}

export const APPLICATION_PAGES: readonly ConsolePage[] = [orDescribed(one)]
