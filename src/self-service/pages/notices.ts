import type { StoredSubscription } from '../../asks/push/subscriptions.ts'
import { browserText } from '../../pages/browser-text.ts'
import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { dayTime } from '../../pages/when.ts'
import type { AccountLinks } from './account-form.ts'

export interface NoticesPageProps extends AccountLinks {
  readonly browsers: readonly Pick<StoredSubscription, 'id' | 'browser' | 'added_at'>[]
  /** What browsers bind what they allow to; undefined: notices are off, and no browser is added. */
  readonly public_key: string | undefined
  /** The paths of the script, and of what shows notices. */
  readonly script: string
  readonly worker: string
}

/** The browsers that tell a person that somebody asks. */
export function noticesPage(props: NoticesPageProps, view: View): string {
  const { base, csrf, browsers } = props
  const { language } = view
  const title = say(language, 'own_notices')
  const item = ({ id, browser, added_at }: (typeof browsers)[number]): Html => {
    const name = browser === undefined ? say(language, 'own_unknown_browser') : browserText(browser, language)
    const label = say(language, 'own_notices_end')
    const button = html`${hidden('browser', id)}\n<button aria-label="${label}: ${name}">${label}</button>`
    return html`<li><strong>${name}</strong><small>${say(language, 'own_added_on', { day: dayTime(added_at, language) })}</small>
${form({ action: `${base}/remove-notices`, csrf }, button)}</li>\n`
  }
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'own_notices_lead')}</p>
${browsers.length === 0 ? html`<p>${say(language, 'own_notices_none')}</p>` : html`<ul class="items">\n${browsers.map(item)}</ul>`}
${addForm(props, view)}<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(title, body, view)
}

/** A button for this browser is there once the script runs. */
function addForm(props: NoticesPageProps, { language }: View): Html | '' {
  const { base, csrf, browsers, public_key, script, worker } = props
  if (public_key === undefined) return ''
  const known = browsers.map(({ id }) => id).join(' ')
  const add = html`<div data-push-key="${public_key}" data-push-worker="${worker}" data-push-known="${known}" data-push-problem="${say(language, 'own_notices_refused')}" hidden>
${hidden('subscription', '')}
<p role="status"></p>
<button class="main">${say(language, 'own_notices_add')}</button>
</div>`
  return html`${form({ action: `${base}/add-notices`, csrf }, add)}
<script src="${script}"></script>
`
}
