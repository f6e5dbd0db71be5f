import { isObject, parseObject } from '../../core/json.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { editAction, recordFields } from '../edit.ts'
import { chipInput } from '../pages/chips.ts'
import { hidden, line, lines, more, pair, tick } from '../pages/fields.ts'
import { panel, sheet } from '../pages/panel.ts'
import { calledOf } from '../pages/person.ts'
import type { FormField, Texts } from '../record-form.ts'
import type { ConsoleAction } from '../rows.ts'
import { knownGroups, linesIn } from './known-groups.ts'

/** Claims that have a field of their own: texts. */
const TEXTS = ['name', 'given_name', 'family_name', 'email', 'locale'] as const

/** Claims as an object, and those without a field of their own. */
function partsOf(claims: string | undefined, groups_claim: string) {
  const all = parseObject(claims ?? '') ?? {}
  // What is no text is edited as what it is.
  const has_field = (name: string) =>
    (TEXTS.some((one) => one === name) && typeof all[name] === 'string') ||
    (name === 'email_verified' && typeof all[name] === 'boolean') ||
    (name === groups_claim && isWords(all[name]))
  const others = Object.fromEntries(Object.entries(all).filter(([name]) => !has_field(name)))
  return { all, others }
}

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string')

/**
 * Returns the texts of the record that the form sent: its fields are members of the claims. What was not in the form stays
 * as it was.
 */
function readForm(form: Texts, before: Texts): Texts {
  const { groups_claim = 'groups', others = '' } = form
  const { all } = partsOf(before.claims, groups_claim)
  const claims: Record<string, unknown> = { ...parseObject(others) }
  // Malformed JSON is told as what it is.
  if (others.trim() !== '' && parseObject(others) === undefined) return { ...form, claims: others }
  for (const name of TEXTS) {
    const value = (form[`claim-${name}`] ?? '').trim()
    if (value !== '') claims[name] = value
  }
  if (form.verified === 'true') claims.email_verified = true
  else if (all.email_verified === false) claims.email_verified = false
  const groups = linesIn(form.groups)
  if (groups.length > 0 || (isWords(all[groups_claim]) && all[groups_claim].length === 0))
    claims[groups_claim] = groups
  return { ...form, claims: Object.keys(claims).length === 0 ? '' : inOrder(claims, all) }
}

/** Returns claims as JSON in the order in which the record has them: what did not change is the same text. */
function inOrder(claims: Record<string, unknown>, before: Record<string, unknown>): string {
  const names = [...Object.keys(before).filter((name) => name in claims), ...Object.keys(claims)]
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, claims[name]])), null, 2)
}

/** The fields of a person, and the rest folded. */
async function showForm(desk: Desk, fields: readonly FormField[], typed: Texts): Promise<Html> {
  const { groups_claim } = desk
  const { all, others } = partsOf(typed.claims, groups_claim)
  const word = (name: (typeof TEXTS)[number]) => (typeof all[name] === 'string' ? all[name] : '')
  const field = (name: (typeof TEXTS)[number], label: string, type = 'text') =>
    line({ name: `claim-${name}`, label, value: word(name), field: name }, type)
  const of_groups = all[groups_claim]
  const rest = fields.filter(({ name }) => name !== 'claims')
  const has_others = Object.keys(others).length > 0
  // A form that was not read as JSON comes again as it was typed.
  const json = isObject(parseObject(typed.claims ?? '')) || !typed.claims ? others : undefined
  const shown = json === undefined ? typed.claims : has_others ? JSON.stringify(json, null, 2) : ''
  return html`${sheet(html`<div class="inside">
${hidden('groups_claim', groups_claim)}${field('name', 'Name')}${pair(field('given_name', 'First name'), field('family_name', 'Last name'))}${field('email', 'E-mail address', 'email')}${tick(
  {
    name: 'verified',
    label: 'The address is verified',
    value: all.email_verified === true ? 'true' : '',
    hint: 'You vouch for another address, too, if you leave it ticked.',
  },
)}${chipInput({
  name: 'groups',
  label: 'Groups',
  known: await knownGroups(desk),
  chosen: isWords(of_groups) ? of_groups : [],
  another: 'Another group',
})}${line({ name: 'claim-locale', label: 'Language', value: word('locale'), field: 'locale', placeholder: 'en' })}${more(
  'More: other claims, as JSON',
  lines({
    name: 'others',
    label: 'Other claims',
    value: shown ?? '',
    field: 'claims',
    hint: 'What has a field above is not repeated here.',
  }),
  json === undefined,
)}</div>`)}${panel({ title: 'What the account may do' }, html`<div class="inside">${recordFields(rest, typed, ['admin', 'second_factor'])}</div>`)}`
}

export const EDIT_PERSON: readonly ConsoleAction[] = [
  editAction({
    section: 'people',
    noun: 'person',
    path: '/people/:username',
    record: 'user',
    called: ({ username, claims }) =>
      calledOf({ username: String(username), ...(isObject(claims) && { claims }) }),
    form: { read: readForm, show: showForm },
  }),
]
