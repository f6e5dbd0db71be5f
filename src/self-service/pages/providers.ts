import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import type { AccountLinks } from './account-form.ts'

/** A provider, and whether the account is linked with one there. */
export interface OwnProvider {
  readonly provider: string
  readonly name: string
  readonly is_linked: boolean
}

/** Why nothing was done: as at a sign-in, or the account there is that of somebody else here, or it is the last way in. */
export type ProviderProblem = 'off' | 'denied' | 'broken' | 'busy' | 'taken' | 'last'

export interface ProvidersPageProps extends AccountLinks {
  readonly providers: readonly OwnProvider[]
  readonly problem?: ProviderProblem
}

/** The accounts elsewhere by which a person signs in: linked, and no more. */
export function providersPage({ base, csrf, providers, problem }: ProvidersPageProps, view: View): string {
  const { language } = view
  const title = say(language, 'own_providers')
  const alert =
    problem && html`<p class="alert" id="problem" role="alert">${say(language, `provider_${problem}`)}</p>\n`
  const item = ({ provider, name, is_linked }: OwnProvider): Html => {
    const shown = plainName(name)
    const [action, label] = is_linked
      ? (['unlink', 'own_provider_unlink'] as const)
      : (['link', 'own_provider_link'] as const)
    const button = html`${hidden('provider', provider)}\n<button>${say(language, label, { provider: shown })}</button>`
    return html`<li><strong><bdi>${shown}</bdi></strong>${is_linked ? html`<small>${say(language, 'own_linked')}</small>` : ''}
${form({ action: `${base}/${action}-provider`, csrf }, button)}</li>\n`
  }
  const body = html`<h1>${title}</h1>
${alert ?? ''}<p class="lead">${say(language, 'own_providers_lead')}</p>
<ul class="items">\n${providers.map(item)}</ul>
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}
