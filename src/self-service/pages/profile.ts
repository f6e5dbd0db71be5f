import type { AccountField } from '../../config/account-fields.ts'
import type { Parameters } from '../../core/parameters.ts'
import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { languageName } from '../../pages/language-name.ts'
import { page, type View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import type { AccountLinks } from './account-form.ts'

export interface ProfilePageProps extends AccountLinks {
  /** What can be changed; empty: it is kept elsewhere. */
  readonly fields: readonly AccountField[]
  /** What the fields have, by their names. */
  readonly values: Parameters
  /** The language that is kept. */
  readonly locale: string | undefined
  /** What was typed cannot be. */
  readonly is_wrong: boolean
}

/** What password managers and browsers know the field as (HTML, autofill). */
const AUTOFILL = {
  name: 'name',
  given_name: 'given-name',
  family_name: 'family-name',
  nickname: 'nickname',
} as const satisfies Partial<Record<AccountField, string>>

/** Asks for the `name`, its parts, and the `locale`. */
export function profilePage(props: ProfilePageProps, view: View): string {
  const { base, csrf, fields, is_wrong } = props
  const { language } = view
  const title = say(language, 'own_profile_change')
  const alert = is_wrong
    ? html`<p class="alert" id="problem" role="alert">${say(language, 'own_profile_problem')}</p>\n`
    : ''
  // One language is no choice.
  const choices = languageChoices(props, view)
  const asked = fields.filter((field) => field !== 'locale' || choices.length > 1)
  const shown = asked.map((field) =>
    field === 'locale' ? languageField(props, choices, view) : nameField(props, field, view),
  )
  const change =
    asked.length === 0
      ? html`<p>${say(language, 'own_profile_elsewhere')}</p>`
      : form(
          { action: `${base}/change-profile`, csrf },
          html`${hidden('asked', asked.join(' '))}
${shown}<button class="main">${say(language, 'own_profile_submit')}</button>`,
        )
  const lead = asked.length === 0 ? '' : html`<p class="lead">${say(language, 'own_profile_lead')}</p>\n`
  const body = html`<h1>${title}</h1>
${alert}${lead}${change}
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(is_wrong ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function nameField(
  { values, is_wrong }: ProfilePageProps,
  field: keyof typeof AUTOFILL,
  { language }: View,
): Html {
  const described = is_wrong ? html` aria-describedby="problem"` : ''
  return html`<label for="${field}">${say(language, `own_${field}`)}</label>
<input id="${field}" name="${field}" value="${values[field] ?? ''}" autocomplete="${AUTOFILL[field]}" dir="auto" maxlength="100"${described}>
`
}

interface LanguageChoice {
  readonly tag: string
  readonly name: string
}

/** The languages of the service, and the one that is kept if it is another. */
function languageChoices({ locale }: ProfilePageProps, { language, theme }: View): readonly LanguageChoice[] {
  const known = theme.languages.map(({ tag, name }) => ({ tag, name }))
  const is_known = locale === undefined || known.some(({ tag }) => tag === locale)
  return is_known ? known : [{ tag: locale, name: languageName(locale, language.tag) }, ...known]
}

function languageField(
  { values }: ProfilePageProps,
  choices: readonly LanguageChoice[],
  { language }: View,
): Html {
  const option = ({ tag, name }: LanguageChoice): Html =>
    html`<option value="${tag}" lang="${tag}"${tag === values.locale ? html` selected` : ''}>${name}</option>\n`
  return html`<label for="locale">${say(language, 'own_locale')}</label>
<select id="locale" name="locale" aria-describedby="locale-rule">
<option value="">${say(language, 'own_locale_none')}</option>
${choices.map(option)}</select>
<p class="note" id="locale-rule">${say(language, 'own_locale_lead')}</p>
`
}
