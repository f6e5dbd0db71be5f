import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import { soonTime } from '../../pages/when.ts'
import { rows } from './account-layout.ts'
import type { OverviewProps } from './own-account.ts'

/** Who of those that run the service acts as the person, until when, and a button that ends it. */
export function supportRows({ support, now, base, csrf }: OverviewProps, { language }: View): Html {
  return rows(
    support.map(({ grant, api, until }) => {
      const shown = { api: html`<bdi>${plainName(api)}</bdi>`, when: soonTime(until, now, language) }
      return {
        mark: icon('warning', 'warn'),
        name: html`<b>${say(language, 'own_support_at', shown)}</b>`,
        detail: html`<small>${say(language, 'own_support_until', shown)}</small>`,
        action: form(
          { action: `${base}/end-support`, csrf },
          html`${hidden('grant', grant)}\n<button class="small red" aria-label="${say(language, 'own_support_end_of', { api: plainName(api) })}">${say(language, 'own_support_end')}</button>`,
        ),
      }
    }),
  )
}
