import { scopeTextsIn } from '../../config/scope-texts.ts'
import { scopeText } from '../../pages/consent.ts'
import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { initialsOf, plainName } from '../../pages/text.ts'
import { agoTime } from '../../pages/when.ts'
import { line, rows } from './account-layout.ts'
import { firstDetails } from './detail-list.ts'
import type { OverviewProps } from './own-account.ts'

/** The applications that have access, what they may do, and a button that takes it back. */
export function applicationRows(props: OverviewProps, { language }: View): Html {
  const { applications, now, base, csrf, scope_claims } = props
  if (applications.length === 0)
    return html`<p class="inside quiet">${say(language, 'own_applications_none')}</p>`
  const texts = { scope_texts: scopeTextsIn(props.scope_texts, language.tag), scope_claims }
  return rows(
    applications.map(({ client_id, client_name, scopes, details, since, last_used_at }) => {
      const label = say(language, 'own_remove_access_of', { client: plainName(client_name) })
      const times = line([
        since === undefined ? undefined : say(language, 'own_added', { when: agoTime(since, now, language) }),
        last_used_at === undefined
          ? undefined
          : say(language, 'own_last_used', { when: agoTime(last_used_at, now, language) }),
      ])
      return {
        mark: html`<span class="app" aria-hidden="true">${initialsOf(client_name)}</span>`,
        name: html`<b><bdi>${plainName(client_name)}</bdi></b>`,
        detail: html`${line(scopes.map((name) => scopeText(name, texts, language)))}${firstDetails(details, base, language)}${times}`,
        action: form(
          { action: `${base}/end-application`, csrf },
          html`${hidden('client_id', client_id)}\n<button class="small" aria-label="${label}">${say(language, 'own_remove_access')}</button>`,
        ),
      }
    }),
  )
}
