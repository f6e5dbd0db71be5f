import { accountLink } from './account.ts'
import { endPage, startButton } from './end.ts'
import { html } from './html.ts'
import type { View } from './layout.ts'
import { say } from './say.ts'

/** What became of a device, after the user answered. */
export function deviceDonePage({ is_allowed }: { readonly is_allowed: boolean }, view: View): string {
  const { language } = view
  const title = say(language, is_allowed ? 'device_allowed_title' : 'device_denied_title')
  const lead = say(language, is_allowed ? 'device_allowed_lead' : 'device_denied_lead')
  const next = html`${startButton(view)}\n${accountLink(view)}`
  return endPage({ title, lead, is_done: is_allowed, next }, view)
}
