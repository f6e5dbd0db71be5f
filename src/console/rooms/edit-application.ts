import { STANDARD_SCOPES } from '../../core/scope.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { type Edited, editAction, fieldInput } from '../edit.ts'
import { cardChoice } from '../pages/cards.ts'
import { chipInput } from '../pages/chips.ts'
import { hidden, more } from '../pages/fields.ts'
import { panel } from '../pages/panel.ts'
import { code } from '../pages/parts.ts'
import { type FormField, lineEnds, NO_ENTRIES, type Texts } from '../record-form.ts'
import type { ConsoleRequest } from '../rows.ts'
import { adviceOf } from './application-advice.ts'
import { scopeWords } from './application-kind.ts'
import { isAsked, uriTester } from './uri-tester.ts'
import { countPeople, type Who, whoCards } from './who-cards.ts'

/** The fields that stand in panels of their own; the others are folded. */
const SIGN_IN = ['redirect_uris', 'post_logout_redirect_uris', 'grant_types', 'required_acr'] as const
const ACCESS = ['allowed_groups', 'everybody', 'allowed_scopes', 'first_party'] as const
const TOKENS = ['access_token_format', 'access_token_ttl', 'refresh_tokens', 'refresh_token_ttl'] as const
const SHOWN: readonly string[] = ['client_name', ...SIGN_IN, ...ACCESS, ...TOKENS]

/** The values of `acr` that cards stand for, in the order of the record. */
const STRENGTHS = ['', '2\nphr', 'phr'] as const

const LISTS: readonly string[] = ['grant_types', 'allowed_scopes', 'allowed_groups', 'required_acr']

const entriesOf = (text = ''): string[] =>
  lineEnds(text)
    .split(/\s*\n\s*/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

const whoOf = ({ allowed_groups = '', everybody }: Texts): Who =>
  allowed_groups === NO_ENTRIES
    ? 'nobody'
    : allowed_groups !== ''
      ? 'groups'
      : everybody === 'true'
        ? 'everybody'
        : 'unsaid'

/** Returns the texts of the fields of a client from what the cards and boxes of the form sent. */
function readForm(form: Texts, before: Texts): Texts {
  const { who } = form
  // A box that is not ticked sends nothing.
  const shown = (form.boxes ?? '').split(' ')
  const sentOf = (name: string) => form[name] ?? (shown.includes(name) ? '' : undefined)
  const lists = LISTS.flatMap((name) => {
    const sent = sentOf(name)
    return sent === undefined ? [] : [[name, entriesOf(sent).join('\n')] as const]
  })
  const first_party = sentOf('first_party')
  const known: Record<string, string | undefined> = { ...form, ...Object.fromEntries(lists) }
  if (first_party !== undefined)
    known.first_party = entriesOf(first_party).includes('true') ? 'true' : unticked(before.first_party)
  if (who === undefined) return known
  const groups = who === 'nobody' ? NO_ENTRIES : who === 'groups' ? (known.allowed_groups ?? '') : ''
  // "These groups" without a group would let everybody in.
  known.allowed_groups = who === 'groups' && groups === '' ? NO_ENTRIES : groups
  known.everybody = who === 'everybody' ? 'true' : unticked(before.everybody)
  return known
}

const unticked = (before: string | undefined) => (before === 'true' ? 'false' : (before ?? ''))

const EDITED: Edited = {
  section: 'applications',
  noun: 'application',
  path: '/applications/:client_id',
  record: 'client',
  called: ({ client_name = '' }) => String(client_name),
  form: { read: readForm, show: panelsOf, beside, asksAgain: isAsked },
}

const JUMPS = [
  ['name', 'Name'],
  ['sign-in', 'Sign-in'],
  ['access', 'Access'],
  ['tokens', 'Tokens'],
  ['more-settings', 'More settings'],
] as const

async function beside(desk: Desk, { params }: ConsoleRequest): Promise<Html> {
  const { body } = await desk.ask('lint_client', { params: { client_id: params.client_id ?? '' } })
  return html`${panel({ title: 'On this page' }, html`<ul>${JUMPS.map(([id, label]) => html`<li><a href="#${id}">${label}</a></li>\n`)}</ul>`)}${adviceOf(body.findings)}`
}

async function panelsOf(
  desk: Desk,
  fields: readonly FormField[],
  typed: Texts,
  _top?: Html,
  form: Texts = {},
): Promise<Html> {
  const [counts, apis] = await Promise.all([
    countPeople(desk),
    desk.may('list_resources') ? desk.ask('list_resources') : undefined,
  ])
  const who = whoOf(typed)
  const groups = typed.allowed_groups === NO_ENTRIES ? [] : entriesOf(typed.allowed_groups)
  const of_apis = apis?.body.items.flatMap(({ scopes = [] }) => scopes) ?? []
  const field = (name: string, more: Partial<Parameters<typeof fieldInput>[2]> = {}): Html | '' => {
    const found = fields.find((one) => one.name === name)
    return found === undefined ? '' : fieldInput(found, typed[name], more)
  }
  const others = fields.filter(({ name }) => !SHOWN.includes(name))
  return html`${hidden('boxes', 'grant_types first_party')}
${panel({ title: 'Name' }, inside(html`${field('client_name', { hint: 'People see it when they sign in' })}`))}
${panel(
  { title: 'Sign-in', id: 'sign-in' },
  inside(
    html`${field('redirect_uris', { hint: 'Where people come back to: one in each line, compared character by character' })}${uriTester(entriesOf(typed.redirect_uris), typed.application_type, form)}${field('post_logout_redirect_uris', { hint: 'One in each line' })}${grantBoxes(fields, typed)}${strength(typed, field)}`,
  ),
)}
${panel(
  { title: 'Access', id: 'access' },
  inside(
    html`${whoCards(html`Who may use it ${name('allowed_groups')}`, counts, { who, groups }, who === 'unsaid' ? 'Everybody, unsaid' : undefined)}${chipInput(
      {
        name: 'allowed_scopes',
        label: html`What it may ask for ${name('allowed_scopes')}`,
        known: [...new Set([...STANDARD_SCOPES, ...of_apis])],
        chosen: entriesOf(typed.allowed_scopes),
        another: 'Another scope',
        hint: `${STANDARD_SCOPES.map((scope) => `${scope}: ${scopeWords(scope)}`).join('; ')}`,
      },
    )}${tickBox('first_party', 'It belongs to us', 'People are not asked whether it may have that', typed.first_party === 'true')}`,
  ),
)}
${panel(
  { title: 'Tokens', id: 'tokens' },
  inside(html`${formatCards(typed)}<div class="pair">
${field('access_token_ttl', { hint: undefined, placeholder: 'as the server' })}${field('refresh_token_ttl', { hint: undefined, placeholder: 'as the server' })}</div>
${field('refresh_tokens', { hint: undefined })}`),
)}
${panel(
  { title: 'More settings' },
  inside(
    more(
      `${others.length} settings that are seldom needed`,
      html`<p class="quiet down">Signing and encryption, keys and certificates, DPoP, sign-out messages, addresses of policy and terms.</p>
${others.map((one) => fieldInput(one, typed[one.name]))}`,
    ),
  ),
)}`
}

const inside = (content: Html): Html => html`<div class="inside">${content}</div>`
const name = (field: string): Html => code(field)

function tickBox(field: string, label: string, hint: string, is_on: boolean): Html {
  return html`<fieldset class="field"><legend>Consent ${name(field)}</legend>
<label class="tick"><input type="checkbox" name="${field}[]" value="true"${is_on ? html` checked` : ''}><span>${label}<small class="hint">${hint}</small></span></label></fieldset>
`
}

/** How it gets tokens: a box for each way that a client can have. */
function grantBoxes(fields: readonly FormField[], { grant_types }: Texts): Html {
  const {
    choices = [],
    choice_labels = {},
    label = '',
  } = fields.find((one) => one.name === 'grant_types') ?? {}
  const chosen = entriesOf(grant_types)
  return html`<fieldset class="field"><legend>${label} ${name('grant_types')}</legend>
${choices.map((one) => html`<label class="tick"><input type="checkbox" name="grant_types[]" value="${one}"${chosen.includes(one) ? html` checked` : ''}><span>${choice_labels[one] ?? one}<small class="hint">${code(one)}</small></span></label>\n`)}</fieldset>
`
}

function strength(typed: Texts, field: (name: string) => Html | ''): Html | '' {
  const now = entriesOf(typed.required_acr).toSorted().join('\n')
  if (!STRENGTHS.some((one) => one === now)) return field('required_acr')
  return cardChoice(
    html`Second step ${name('required_acr')}`,
    'required_acr',
    [
      { value: '', label: 'As each person has set it up', detail: 'And as the server says' },
      { value: '2\nphr', label: 'Always', detail: 'Who has none sets one up first' },
      { value: 'phr', label: 'Passkeys only', detail: 'Who has none sets one up first' },
    ],
    now,
  )
}

function formatCards({ access_token_format = '' }: Texts): Html {
  return cardChoice(
    html`Access token ${name('access_token_format')}`,
    'access_token_format',
    [
      { value: '', label: 'As the server', detail: 'What the other applications get' },
      { value: 'opaque', label: 'Opaque', detail: 'Can be ended at once, asks the server' },
      { value: 'jwt', label: 'JWT', detail: 'Read by the API itself, valid to its end' },
    ],
    access_token_format,
  )
}

export const EDIT_APPLICATION = editAction(EDITED)
