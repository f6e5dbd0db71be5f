import type { MutedClient, OwnAsk } from '../../asks/own-asks.ts'
import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { initialsOf, plainName } from '../../pages/text.ts'
import { soonTime } from '../../pages/when.ts'
import { line, rows, smallLink } from './account-layout.ts'
import type { OverviewProps } from './own-account.ts'

const markOf = (client_name: string): Html =>
  html`<span class="app" aria-hidden="true">${initialsOf(client_name)}</span>`

/** What waits for the answer of the person, and where it is answered: nothing is answered here. */
export function askRows(
  { asks, now }: { readonly asks: readonly OwnAsk[]; readonly now: number },
  { language }: View,
): Html {
  return rows(
    asks.map(({ client_name, message, asked_at, address }) => {
      const title = say(language, 'ask_title', { client: html`<bdi>${plainName(client_name)}</bdi>` })
      const open = say(language, 'own_ask_open')
      return {
        mark: markOf(client_name),
        name: html`<b>${title}</b>`,
        detail: line([
          message === undefined ? undefined : html`<q><bdi>${message}</bdi></q>`,
          soonTime(asked_at, now, language),
        ]),
        action: smallLink(address, open, html`${open}: ${plainName(client_name)}`),
      }
    }),
  )
}

/** The applications that may not ask the person, each with a button that lets it ask again. */
export function mutedRows(
  { base, csrf }: Pick<OverviewProps, 'base' | 'csrf'>,
  muted: readonly MutedClient[],
  { language }: View,
): Html {
  return rows(
    muted.map(({ client_id, client_name }) => ({
      mark: markOf(client_name),
      name: html`<b><bdi>${plainName(client_name)}</bdi></b>`,
      action: form(
        { action: `${base}/unmute`, csrf },
        html`${hidden('client_id', client_id)}\n<button class="small" aria-label="${say(language, 'own_muted_end')}: ${plainName(client_name)}">${say(language, 'own_muted_end')}</button>`,
      ),
    })),
  )
}
