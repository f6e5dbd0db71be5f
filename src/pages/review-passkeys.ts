import { form, type PageForm } from './form.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { type LinkAccountProps, linkAccount } from './link-account.ts'
import { doneTexts } from './link-question.ts'
import { type ShownPasskey, stillYours } from './passkey-list.ts'
import { say } from './say.ts'

export interface ReviewPasskeysProps extends PageForm, LinkAccountProps {
  readonly passkeys: readonly ShownPasskey[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/**
 * Says that the password or the passkey is new, and asks which others are still one's own. The form sends `passkey`, or
 * nothing.
 */
export function reviewPasskeysPage(
  { passkeys, now, account, signed_in, ...hidden }: ReviewPasskeysProps,
  view: View,
): string {
  const { language, theme } = view
  const done = doneTexts('reset', theme)
  const title = say(language, done.title)
  const body = html`<h1>${title}</h1>
<p class="result" role="status">${say(language, done.lead)}</p>
${linkAccount({ account, ...(signed_in && { signed_in }) }, view)}${form(
  hidden,
  html`${stillYours(passkeys, now, language)}
<div class="offers"><button class="main">${say(language, 'still_yours_keep')}</button></div>`,
)}`
  return page(title, body, view)
}
