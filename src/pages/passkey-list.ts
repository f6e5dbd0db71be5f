import { browserText } from './browser-text.ts'
import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'
import { plainName } from './text.ts'
import { agoTime, dayTime } from './when.ts'

/** A passkey as its owner knows it. */
export interface ShownPasskey {
  readonly id: string
  readonly name: string
  /** In milliseconds since 1970. */
  readonly created_at: number
  /** In milliseconds since 1970; absent: never. */
  readonly last_used_at?: number
  /** The browser that used it last, in words. */
  readonly browser?: string
  /** Whether it may be on several devices of its owner; false: on one device only. */
  readonly is_synced: boolean
}

/** The name of a passkey, and what its owner would recognise it by. */
export function passkeyFacts(passkey: ShownPasskey, now: number, language: Language): Html {
  const { name, created_at, last_used_at, browser, is_synced } = passkey
  const facts = [
    say(language, is_synced ? 'own_passkey_synced' : 'own_passkey_here'),
    say(language, 'own_added_on', { day: dayTime(created_at, language) }),
    ...(last_used_at === undefined
      ? []
      : [say(language, 'own_last_used', { when: agoTime(last_used_at, now, language) })]),
    ...(browser === undefined ? [] : [browserText(browser, language)]),
  ]
  return html`<strong><bdi>${plainName(name)}</bdi></strong><small>${facts.map((fact, i) => html`${i === 0 ? '' : ' · '}${fact}`)}</small>`
}

/**
 * Asks somebody who came back into the account whether its passkeys are still theirs, because whoever had it meanwhile
 * may have added one. The buttons send `passkey`: an id, or `all`.
 */
export function stillYours(passkeys: readonly ShownPasskey[], now: number, language: Language): Html {
  const items = passkeys.map((passkey) => {
    const label = say(language, 'own_passkey_remove_of', { name: plainName(passkey.name) })
    return html`<li>${passkeyFacts(passkey, now, language)}
<button name="passkey" value="${passkey.id}" aria-label="${label}">${say(language, 'own_passkey_remove')}</button></li>\n`
  })
  const all =
    passkeys.length > 1
      ? html`\n<button name="passkey" value="all">${say(language, 'still_yours_remove_all')}</button>`
      : ''
  return html`<h2>${say(language, 'still_yours_title')}</h2>
<p>${say(language, 'still_yours_lead')}</p>
<ul class="items">\n${items}</ul>${all}`
}
