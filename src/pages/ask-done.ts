import { accountLink } from './account.ts'
import { endPage, startButton } from './end.ts'
import { html } from './html.ts'
import type { View } from './layout.ts'
import { say } from './say.ts'
import { nameInText } from './text.ts'

/** What became of what an application asked: `answered` by somebody else before, or `over`. */
export type AskOutcome = 'allowed' | 'denied' | 'muted' | 'answered' | 'over'

/** What became of what an application asked, after the person answered, or came too late. */
export function askDonePage(
  { outcome, client_name }: { readonly outcome: AskOutcome; readonly client_name: string },
  view: View,
): string {
  const { language } = view
  const client = nameInText(client_name)
  const title = say(language, `ask_${outcome}_title`)
  const lead = say(language, `ask_${outcome}_lead`, { client })
  const next = html`${startButton(view)}\n${accountLink(view)}`
  return endPage({ title, lead, is_done: outcome === 'allowed', next }, view)
}
