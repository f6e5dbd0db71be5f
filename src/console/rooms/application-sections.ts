import type { AnswerOf } from '../../admin/operations.ts'
import { signInGrants } from '../../clients/record/grant-types.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { Desk } from '../desk.ts'
import { act } from '../pages/actions.ts'
import { chipList } from '../pages/chips.ts'
import { panel, type Row, rows } from '../pages/panel.ts'
import { at, code, type Fact, facts, link, short, text, when } from '../pages/parts.ts'
import { choiceWords } from '../record-form.ts'
import { type ShownClient, scopeWords } from './application-kind.ts'
import { uriAnswer, uriField } from './uri-tester.ts'

/** What people may be asked for, by the values of `acr` that a client demands. */
const STRENGTHS: Readonly<Record<string, string>> = {
  '2 phr': 'always asked for',
  phr: 'a passkey, always',
}

// A preview is as its original is.
const editLink = (
  desk: Desk,
  { client_id, preview_of }: ShownClient,
  section: string,
  label: string,
): Html | '' =>
  preview_of === undefined
    ? act(desk, {
        path: `${at`/applications/${client_id}`}/edit#${section}`,
        label: 'Edit',
        operation: 'change_client',
        says: `Edit ${label}`,
      })
    : ''

const codes = (uris: readonly string[] = []): Html =>
  html`${uris.map((uri, i) => html`${i === 0 ? '' : html`<br>`}${code(uri)}`)}`

/** How people sign in to it, and whether a redirect URI is one of its own. */
export function signInPanel(desk: Desk, application: ShownClient, uri: string | undefined): Html {
  const { redirect_uris = [], post_logout_redirect_uris, first_party, required_acr } = application
  const { provider, grant_types } = application
  const shown: Fact[] = [
    ['How it gets tokens', grantWords(grant_types)],
    ['Redirect URIs', redirect_uris.length === 0 ? 'none: nobody comes back to it' : codes(redirect_uris)],
    ['After sign-out', codes(post_logout_redirect_uris)],
  ]
  if (redirect_uris.length > 0)
    shown.push(
      ['Consent', first_party === true ? 'not asked, it belongs to us' : 'people are asked'],
      ['Second step', strengthOf(required_acr)],
      ['Ways to sign in', provider === undefined ? 'all' : html`at once by ${short(provider)}`],
    )
  return panel(
    { title: 'Sign-in', action: editLink(desk, application, 'sign-in', 'the sign-in') },
    html`${facts(shown)}
${redirect_uris.length === 0 ? '' : tester(desk, application, uri)}`,
  )
}

const grantWords = (grant_types: unknown): string =>
  Array.isArray(grant_types)
    ? grant_types.map((one) => choiceWords('client', 'grant_types', String(one))).join(', ')
    : ''

const strengthOf = (required: readonly string[] | undefined): Html | string =>
  required === undefined
    ? 'as each person has set it up'
    : (STRENGTHS[required.toSorted().join(' ')] ?? html`one of ${text(required.join(', '))}`)

const tester = (
  desk: Desk,
  { client_id, redirect_uris = [], application_type }: ShownClient,
  uri = '',
): Html =>
  html`<form method="get" action="${desk.base}${at`/applications/${client_id}`}">
${uriField(uri.trim(), uriAnswer(uri.trim(), redirect_uris, application_type))}<button class="small">Check it</button>
</form>`

/** Who may use it, and for what. */
export function accessPanel(
  desk: Desk,
  application: ShownClient,
  apis: AnswerOf<'list_resources'>['items'],
): Html {
  const { allowed_groups, everybody, allowed_scopes } = application
  const scopes: readonly string[] = Array.isArray(allowed_scopes) ? allowed_scopes : []
  const served = apis.filter(({ scopes: of_api = [] }) => of_api.some((scope) => scopes.includes(scope)))
  const who =
    allowed_groups === undefined
      ? everybody === true
        ? 'everybody'
        : html`everybody, because nobody said otherwise`
      : allowed_groups.length === 0
        ? 'nobody'
        : chipList(allowed_groups)
  return panel(
    { title: 'Access', action: editLink(desk, application, 'access', 'the access') },
    facts([
      ['Who may use it', who],
      ['May ask for', scopes.length === 0 ? 'nothing' : chipList(scopes.map(scopeWords))],
      [
        'APIs',
        served.length === 0
          ? undefined
          : html`${served.map(({ resource }, i) => html`${i === 0 ? '' : ', '}${link(desk, at`/apis/${resource}`, short(resource))}`)}`,
      ],
    ]),
  )
}

/** What its tokens are, and how long they count. */
export function tokensPanel(desk: Desk, application: ShownClient): Html {
  const { access_token_format, access_token_ttl, refresh_tokens, refresh_token_ttl } = application
  const { id_token_signed_response_alg, id_token_ttl, refresh_token_rotation, grant_types } = application
  const format =
    access_token_format === undefined
      ? 'as the server'
      : choiceWords('client', 'access_token_format', String(access_token_format))
  const signs_in = signInGrants(Array.isArray(grant_types) ? grant_types : []).length > 0
  const refresh = signs_in
    ? choiceWords('client', 'refresh_tokens', String(refresh_tokens ?? 'always')).toLowerCase()
    : 'never'
  return panel(
    { title: 'Tokens', action: editLink(desk, application, 'tokens', 'the tokens') },
    facts([
      ['Access token', `${format}, ${validFor(access_token_ttl)}`],
      [
        'Stays signed in',
        refresh === 'never'
          ? 'never'
          : `${refresh}, ${refresh_token_rotation === false ? 'with one token' : 'with a new token at each use'}, ${validFor(refresh_token_ttl)}`,
      ],
      [
        'ID token',
        `${id_token_signed_response_alg === undefined ? 'signed as the server' : String(id_token_signed_response_alg)}, ${validFor(id_token_ttl)}`,
      ],
    ]),
  )
}

const validFor = (seconds: unknown): string =>
  typeof seconds === 'number' ? `valid for ${duration(seconds)}` : 'valid as long as the server says'

/** Returns seconds in words, in the largest unit that fits. */
function duration(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const
  const [size, word] = units.find(([of_unit]) => seconds % of_unit === 0) ?? [1, 'second']
  const many = seconds / size
  return `${many} ${word}${many === 1 ? '' : 's'}`
}

/** Its secrets: when they were made and used; none can be read. */
export function secretsPanel(desk: Desk, application: ShownClient): Html | '' {
  const { client_id, is_public, secret, old_secret } = application
  if (is_public === true) return ''
  const { client_secret_created_at, secret_used_at, old_secret_used_at, old_secret_ends_at } = application
  const shown: Row[] = []
  if (secret === 'set')
    shown.push({
      mark: icon('key'),
      name:
        client_secret_created_at === undefined
          ? 'Secret'
          : html`Secret of ${when(client_secret_created_at, desk)}`,
      detail: html`used ${when(secret_used_at, desk)}`,
    })
  if (old_secret === 'set')
    shown.push({
      mark: icon('key'),
      name: 'Old secret',
      detail: html`used ${when(old_secret_used_at, desk)}, ends ${when(old_secret_ends_at, desk)}`,
    })
  const make = { path: `${at`/applications/${client_id}`}/secret`, label: 'Make a new secret' }
  return panel(
    { title: 'Secrets', action: act(desk, { ...make, operation: 'rotate_client_secret' }) },
    shown.length === 0 ? html`<p>None: it proves in another way who it is.</p>` : rows(shown),
  )
}
