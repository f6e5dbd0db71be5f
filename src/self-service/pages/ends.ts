import { form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import type { AccountLinks } from './account-form.ts'

/** Asks whether to delete the account. @param is_operator it manages the service, so that it cannot */
export function deletePage({ base, csrf }: AccountLinks, is_operator: boolean, view: View): string {
  const { language } = view
  const title = say(language, 'own_delete')
  const question = form(
    { action: `${base}/delete-account`, csrf },
    html`<button class="main red">${say(language, 'own_delete_submit')}</button>`,
  )
  const body = html`<h1>${title}</h1>
<p>${say(language, is_operator ? 'own_delete_operator' : 'own_delete_lead')}</p>
${is_operator ? '' : question}
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(title, body, view)
}

/** Says that the account is gone. */
export function deletedPage(view: View): string {
  const title = say(view.language, 'own_deleted_title')
  return page(title, html`<h1>${title}</h1>\n<p>${say(view.language, 'own_deleted_lead')}</p>`, view)
}

/** Says that the browser of a form is not signed in any more. */
export function signedOutPage(base: string, view: View): string {
  const { language } = view
  const title = say(language, 'own_signed_out_title')
  const body = html`<h1>${title}</h1>
<p>${say(language, 'own_signed_out_lead')}</p>
<div class="choice"><a class="button main" href="${base}">${say(language, 'own_sign_in')}</a></div>`
  return page(title, body, view)
}
