import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { languageName } from '../../pages/language-name.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { breakableName, plainName } from '../../pages/text.ts'
import { type AccountRow, rows, smallLink } from './account-layout.ts'
import type { OverviewProps } from './own-account.ts'

/** Who somebody is here: names, address, groups and language, each with its page where it can be changed. */
export function profileRows(props: OverviewProps, view: View): Html {
  const { user, groups, changeable, base } = props
  const { language } = view
  const { name = '', locale = '' } = user.claims
  const change = (what: 'own_name' | 'own_email' | 'own_locale', page: string, part = '') =>
    smallLink(
      `${base}${page}${part}`,
      say(language, 'own_change'),
      say(language, 'own_change_of', { name: String(language.messages[what]) }),
    )
  const has_names = changeable.some((field) => field !== 'locale')
  const has_choice = changeable.includes('locale') && view.theme.languages.length > 1
  const given: (AccountRow | undefined)[] = [
    name === '' && !has_names
      ? undefined
      : row(
          'own_name',
          name === '' ? notGiven(view) : value(name),
          view,
          has_names && change('own_name', '/profile'),
        ),
    addressRow(props, view, change('own_email', '/address')),
    row('own_username', value(user.username), view),
    groups.length === 0 ? undefined : row('own_groups', html`${groups.map(plainName).join(', ')}`, view),
    locale === '' && !has_choice
      ? undefined
      : row(
          'own_locale',
          html`${locale === '' ? say(language, 'own_locale_none') : languageName(locale, language.tag)}`,
          view,
          has_choice && change('own_locale', '/profile', '#locale'),
        ),
  ]
  return rows(given.filter((one) => one !== undefined))
}

function row(
  label: 'own_name' | 'own_email' | 'own_username' | 'own_groups' | 'own_locale',
  content: Html,
  { language }: View,
  action: Html | false = false,
): AccountRow {
  const name = html`<small>${say(language, label)}</small>${content}`
  return action === false ? { name } : { name, action }
}

const value = (text: string): Html => html`<bdi class="address">${breakableName(text)}</bdi>`
const notGiven = ({ language }: View): Html =>
  html`<span class="quiet">${say(language, 'own_not_given')}</span>`

/** The address, whether it is confirmed, and the one that waits for its link to be used. */
function addressRow(
  { user, pending, has_mail, base, csrf }: OverviewProps,
  view: View,
  change: Html,
): AccountRow | undefined {
  const { language } = view
  const { email = '', email_verified } = user.claims
  if (email === '' && !has_mail) return undefined
  const is_confirmed = email_verified === 'true'
  const state = is_confirmed
    ? html` <span class="state good">${say(language, 'own_email_verified')}</span>`
    : html` <span class="state warn">${say(language, 'own_email_unverified')}</span>`
  const waiting = has_mail ? (pending ?? (email === '' || is_confirmed ? undefined : email)) : undefined
  const told =
    pending === undefined
      ? ''
      : html`<small>${say(language, 'own_address_pending', { address: html`<bdi>${plainName(pending)}</bdi>` })}</small>`
  const again =
    waiting === undefined
      ? ''
      : form(
          { action: `${base}/change-address`, csrf },
          html`${hidden('email', waiting)}\n<button class="small">${say(language, 'own_address_again')}</button>`,
        )
  const shown = email === '' ? notGiven(view) : html`${value(email)}${state}`
  return {
    name: html`<small>${say(language, 'own_email')}</small>${shown}${told}`,
    action: has_mail ? html`<div class="buttons">${again}${change}</div>` : '',
  }
}
