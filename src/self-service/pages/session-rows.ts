import { browserText } from '../../pages/browser-text.ts'
import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { icon } from '../../pages/icons.ts'
import type { View } from '../../pages/layout.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import { agoTime } from '../../pages/when.ts'
import { line, rows } from './account-layout.ts'
import type { OverviewProps } from './overview.ts'

const ON_PHONES = / on (?:Android|iOS|iPhone|iPad)/

/** Where somebody is signed in, each with a button that ends it: this browser first. */
export function sessionRows(props: OverviewProps, { language }: View): Html {
  const { sessions, own_sid, now, base, csrf, sessions_place } = props
  const place = sessions_place === undefined ? '' : html`\n${hidden('sessions', sessions_place)}`
  return rows(
    sessions.map(({ session, applications }) => {
      const { sid, browser = '', address, last_used_at, started_at } = session
      const name = browser === '' ? say(language, 'own_unknown_browser') : browserText(browser, language)
      const used = say(language, 'own_last_used', {
        when: agoTime(last_used_at ?? started_at, now, language),
      })
      const is_own = sid === own_sid
      const names = html`${applications.map((one, i) => html`${i === 0 ? '' : ', '}<bdi>${plainName(one)}</bdi>`)}`
      const called = is_own
        ? say(language, 'own_this_browser')
        : address === undefined
          ? name
          : html`${name}, ${address}`
      const label = say(language, 'own_sign_out_of', { browser: called })
      const button = html`<button class="small" aria-label="${label}">${say(language, 'own_sign_out')}</button>`
      const own = is_own ? html` <span class="state good">${say(language, 'own_this_browser')}</span>` : ''
      return {
        mark: icon(ON_PHONES.test(browser) ? 'phone' : 'browser'),
        name: html`<b>${name}</b>${own}`,
        detail: line([address, used, names]),
        action: is_own
          ? form({ action: `${base}/sign-out`, csrf }, button)
          : form({ action: `${base}/end-session`, csrf }, html`${hidden('sid', sid)}${place}\n${button}`),
      }
    }),
  )
}

/** The button that ends all others; empty: there are none. */
export function endOthers(
  { sessions, sessions_place, older_sessions, base, csrf }: OverviewProps,
  { language }: View,
): Html | '' {
  if (sessions.length < 2 && sessions_place === undefined && older_sessions === undefined) return ''
  const button = html`<button class="small">${say(language, 'own_sign_out_others')}</button>`
  return form({ action: `${base}/end-others`, csrf }, button)
}
