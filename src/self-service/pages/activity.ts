import { browserText } from '../../pages/browser-text.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Language } from '../../pages/messages/language.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import { agoTime } from '../../pages/when.ts'
import type { Activity, ActivityName } from '../activity.ts'

/** An activity, and the name of the application that it is about. */
export interface ShownActivity extends Activity {
  readonly client_name?: string | undefined
}

/** Events with one text: only operators tell them apart. */
const SAME = {
  user_added: 'user_joined',
  user_signed_up: 'user_joined',
  user_ended: 'sessions_ended',
} as const satisfies Partial<Record<ActivityName, ActivityName>>

const hasOther = (event: ActivityName): event is keyof typeof SAME => Object.hasOwn(SAME, event)

/** What happened lately, the newest first. @param now milliseconds since 1970 */
export function activityList(activities: readonly ShownActivity[], now: number, language: Language): Html {
  if (activities.length === 0) return html`<p>${say(language, 'own_activity_none')}</p>`
  const items = activities.map(({ event, at, by_operator, browser, address, client_name }) => {
    const client = client_name === undefined ? undefined : html`<bdi>${plainName(client_name)}</bdi>`
    const by = by_operator ? say(language, 'own_activity_by_operator') : undefined
    const parts = [
      client,
      by,
      browser && browserText(browser, language),
      address,
      agoTime(at, now, language),
    ].filter((part) => part !== undefined)
    return html`<li><strong>${say(language, `own_activity_${hasOther(event) ? SAME[event] : event}`)}</strong><small>${parts.map((part, i) => html`${i === 0 ? '' : ' · '}${part}`)}</small></li>\n`
  })
  return html`<ul class="items">\n${items}</ul>`
}
