import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import type { View } from '../../pages/layout.ts'
import type { Language } from '../../pages/messages/language.ts'
import { say } from '../../pages/say.ts'
import { initialsOf, plainName } from '../../pages/text.ts'
import type { ActingPlace } from '../own-acting.ts'
import { rows } from './account-layout.ts'
import { firstDetails } from './detail-list.ts'
import type { OverviewProps } from './own-account.ts'

/** How many of the places where an application acts are shown. */
const MAX_PLACES = 5

/** The applications that act for the person, where, and by way of whom, each with a button that takes its access back. */
export function actingRows({ acting, base, csrf }: OverviewProps, { language }: View): Html {
  return rows(
    acting.map(({ client_id, client_name, places }) => {
      const label = say(language, 'own_remove_access_of', { client: plainName(client_name) })
      return {
        mark: html`<span class="app" aria-hidden="true">${initialsOf(client_name)}</span>`,
        name: html`<b><bdi>${plainName(client_name)}</bdi></b>`,
        detail: html`${places.slice(0, MAX_PLACES).map((place) => html`<small>${placeText(place, language)}</small>${firstDetails(place.details, base, language)}`)}${places.length > MAX_PLACES ? html`<small>…</small>` : ''}`,
        action: form(
          { action: `${base}/end-application`, csrf },
          html`${hidden('client_id', client_id)}\n<button class="small" aria-label="${label}">${say(language, 'own_remove_access')}</button>`,
        ),
      }
    }),
  )
}

/** Where somebody acts, and by way of whom, in words. */
export function placeText({ api, via }: ActingPlace, language: Language): Html {
  const at = html`<bdi>${plainName(api)}</bdi>`
  if (via.length === 0) return say(language, 'own_acting_at', { api: at })
  const names = html`${via.map((name, i) => html`${i === 0 ? '' : ', '}<bdi>${plainName(name)}</bdi>`)}`
  return say(language, 'own_acting_by', { api: at, via: names })
}
