import { html } from '../../pages/html.ts'
import { callbackOf } from '../../providers/callback.ts'
import type { Desk } from '../desk.ts'
import { acts, mayOnlySee } from '../pages/actions.ts'
import { panel } from '../pages/panel.ts'
import { badge, code, type Fact, facts, oddState, short, when } from '../pages/parts.ts'
import { choiceWords } from '../record-form.ts'
import type { ConsolePage } from '../rows.ts'
import { faultWords } from './fault-words.ts'
import {
  failureOf,
  failureParts,
  providerMark,
  providerName,
  providerPage,
  type ShownProvider,
  type Use,
  usesOf,
} from './provider-state.ts'
import { applicationsPanel, besideRecord, fieldFact, removal, storedFacts } from './record-parts.ts'

const one: ConsolePage = {
  path: '/providers/:provider',
  operation: 'read_provider',
  async show(desk, { params: { provider = '' } }) {
    const [{ body: found }, lint, uses] = await Promise.all([
      desk.ask('read_provider', { params: { provider } }),
      desk.ask('lint_providers', { query: { provider } }),
      usesOf(desk),
    ])
    const use = uses?.by_name.get(provider) ?? {}
    const fault = failureOf(use)
    const page = providerPage(found)
    const { state, fields, kind } = found
    const secret = {
      path: `${page}/secret`,
      label: 'Set the secret',
      operation: 'set_provider_secret',
    } as const
    const lacks_secret = lint.body.items.some(({ field }) => field === 'client_secret_sealed')
    const fact = (name: string, absent?: string) => fieldFact('provider', found, name, absent)
    return {
      title: providerName(found),
      section: 'providers',
      head: {
        path: [['Providers', '/providers'], [providerName(found)]],
        mark: providerMark(found, 'large'),
        beside: html`${oddState(state)}${fault === undefined ? (use.last_success_at === undefined ? '' : badge('works', 'good')) : badge('failing', 'bad')}`,
        lead: found.issuer === undefined ? '' : short(found.issuer),
        actions: acts(
          desk,
          [
            ...(lacks_secret ? [secret] : []),
            { path: `${page}/test`, label: 'Test', operation: 'test_provider' },
            {
              path: `${page}/edit`,
              label: 'Edit',
              operation: 'change_provider',
              icon: 'pencil',
              is_main: true,
            },
          ],
          lacks_secret ? [] : [secret],
        ),
      },
      body: html`${mayOnlySee(desk, ['change_provider', 'delete_provider'], 'redmint:apis:write')}<div class="two">
<div>
${fault === undefined ? '' : panel({ title: 'It fails' }, failureParts(desk, found, fault))}${
  uses === undefined ? '' : panel({ title: 'How it is used' }, facts(useFacts(desk, use, uses.counted_at)))
}${panel(
  { title: 'Who comes from it' },
  facts([
    fact('creates_users', 'no'),
    fact('links_by_email', 'no'),
    fact('email_domains', 'all'),
    fact('groups_claim', 'none are taken from it'),
    ...(found.groups_claim === undefined ? [] : [fact('groups_ttl')]),
  ]),
)}${panel(
  { title: 'This server there' },
  facts([
    ['Client id there', found.client_id === undefined ? undefined : code(found.client_id)],
    ['People come back to', code(callbackOf({ issuer: desk.issuer }, provider))],
    fact('scope'),
    fact('token_endpoint_auth_method', 'as it says itself'),
    fact('team_id'),
    fact('key_id'),
    ...storedFacts('provider', fields),
  ]),
)}${await applicationsPanel(
  desk,
  'Applications that go there at once',
  (client) => client.provider === provider,
  'None: people choose it by its button.',
)}</div>
${besideRecord(
  'provider',
  [
    ['Kind', kind === undefined ? undefined : choiceWords('provider', 'kind', String(kind))],
    ['Name in addresses', code(provider)],
  ],
  found,
  lint.body.items,
)}
<div>${danger(desk, found, use)}</div>
</div>`,
    }
  },
}

function useFacts(desk: Desk, use: Use, counted_at: string | undefined): Fact[] {
  const { last_success_at, last_error, linked } = use
  return [
    ['Last sign-in by it', when(last_success_at, desk)],
    [
      'Last fault',
      last_error === undefined
        ? 'none in 90 days'
        : html`${faultWords(last_error)}, ${when(last_error.at, desk)} <code class="quiet">${last_error.code}</code>`,
    ],
    [
      'People linked',
      linked === undefined
        ? 'not counted yet'
        : html`${String(linked)} <span class="quiet">counted ${when(counted_at, desk)}</span>`,
    ],
  ]
}

function danger(desk: Desk, found: ShownProvider, { linked = 0 }: Use) {
  const whom =
    linked === 1
      ? ': 1 person is linked to it'
      : linked > 1
        ? `: ${String(linked)} people are linked to it`
        : ''
  return removal(
    desk,
    providerPage(found),
    'delete_provider',
    `Nobody signs in by it any more${whom}. The accounts stay.`,
  )
}

export const PROVIDER_PAGE: readonly ConsolePage[] = [one]
