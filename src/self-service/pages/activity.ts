import { browserText } from '../../pages/browser-text.ts'
import { type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import type { Language, MessageName } from '../../pages/messages/language.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import { agoTime } from '../../pages/when.ts'
import type { Activity, ActivityName } from '../activity.ts'
import { line, rows } from './account-layout.ts'

/** An activity, and the name of the application that it is about. */
export interface ShownActivity extends Activity {
  readonly client_name?: string | undefined
}

/** Events with one text: only operators tell them apart. */
const SAME = {
  user_added: 'user_joined',
  user_signed_up: 'user_joined',
  user_ended: 'sessions_ended',
  user_revoked: 'sessions_ended',
} as const satisfies Partial<Record<ActivityName, ActivityName>>

const hasOther = (event: ActivityName): event is keyof typeof SAME => Object.hasOwn(SAME, event)
const told = (event: ActivityName) => (hasOther(event) ? SAME[event] : event)

/** How far apart two events are that one thing caused, in milliseconds. */
const AT_ONCE = 60_000

/** What is shown in one line. */
export interface ToldActivity extends ShownActivity {
  /** More like it came before. */
  readonly is_repeated?: true
}

/**
 * Makes one line of what is one thing for its person: events of one text that came at once, and failed sign-ins of one
 * place with nothing between them. @param activities the newest first
 */
export function toldActivities(activities: readonly ShownActivity[]): readonly ToldActivity[] {
  const lines: { newest: ToldActivity; oldest: number }[] = []
  for (const one of activities) {
    // An account is made once, and with it, its first way in.
    const made = isMade(one) ? lines.find(({ newest }) => isMade(newest)) : undefined
    const last = made ?? lines.at(-1)
    if (last === undefined || !isSame(last.newest, one, last.oldest)) {
      lines.push({ newest: one, oldest: one.at })
      continue
    }
    last.oldest = one.at
    if (one.inviter !== undefined) last.newest = { ...last.newest, inviter: one.inviter }
    if (one.event === 'sign_in_failed') last.newest = { ...last.newest, is_repeated: true }
  }
  return lines.map(({ newest }) => newest)
}

const isMade = ({ event }: ShownActivity) => told(event) === 'user_joined'

function isSame(newest: ShownActivity, one: ShownActivity, oldest: number): boolean {
  if (told(newest.event) !== told(one.event) || newest.by_operator !== one.by_operator) return false
  const is_there = newest.browser === one.browser && newest.address === one.address
  if (!is_there || newest.client_id !== one.client_id) return false
  return one.event === 'sign_in_failed' || oldest - one.at < AT_ONCE
}

/** What an activity is called. */
export function activityText({ event, is_repeated }: ToldActivity): MessageName {
  return is_repeated ? 'own_activity_sign_ins_failed' : `own_activity_${told(event)}`
}

const WARNINGS: ReadonlySet<ActivityName> = new Set<ActivityName>([
  ...([
    'sign_in_failed',
    'passkey_counter_reversed',
    'second_step_limited',
    'user_disabled',
    'user_acted_as',
  ] as const),
])
const PICTURES: Partial<Readonly<Record<ActivityName, IconName>>> = {
  sign_in_succeeded: 'check',
  signed_out: 'sign_out',
  sessions_ended: 'sign_out',
  user_joined: 'people',
  user_changed: 'people',
  consent_given: 'applications',
  consent_withdrawn: 'applications',
  device_allowed: 'screen',
  provider_linked: 'link',
  provider_unlinked: 'link',
  address_changed: 'mail',
  address_change_asked: 'mail',
}

/** Where an activity was, and who did it. */
export function activityPlace(
  { by_operator, browser, address, client_name, inviter }: ShownActivity,
  language: Language,
): readonly (Html | string | undefined)[] {
  const client = client_name === undefined ? undefined : html`<bdi>${plainName(client_name)}</bdi>`
  const by = by_operator ? say(language, 'own_activity_by_operator') : undefined
  const invited =
    inviter === undefined
      ? undefined
      : say(language, 'own_activity_by_invitation', { inviter: html`<bdi>${plainName(inviter)}</bdi>` })
  return [client, by, invited, browser && browserText(browser, language), address]
}

/** What happened lately, the newest first. @param now milliseconds since 1970 */
export function activityRows(activities: readonly ShownActivity[], now: number, language: Language): Html {
  if (activities.length === 0) return html`<p class="inside quiet">${say(language, 'own_activity_none')}</p>`
  return rows(
    toldActivities(activities).map((one) => {
      const event = told(one.event)
      const is_warning = WARNINGS.has(event)
      return {
        mark: is_warning ? icon('warning', 'warn') : icon(PICTURES[event] ?? 'key'),
        name: html`${String(language.messages[activityText(one)])}`,
        detail: line(activityPlace(one, language)),
        action: html`<span class="quiet nowrap">${agoTime(one.at, now, language)}</span>`,
      }
    }),
  )
}
