import type { ListedPasskey, PasskeySignals } from '../../factors/passkeys/manage-passkeys.ts'
import { MAX_NAME } from '../../factors/passkeys/manage-passkeys.ts'
import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import type { Language } from '../../pages/messages/language.ts'
import { passkeyPart, passkeySignal } from '../../pages/passkey.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import { agoTime } from '../../pages/when.ts'
import type { AccountLinks } from './account-form.ts'

export interface PasskeysPageProps extends AccountLinks {
  readonly passkeys: readonly ListedPasskey[]
  /** What the browser is asked for to create one; undefined: there are as many as there can be. */
  readonly creation: object | undefined
  /** What the browser is told of the passkeys that there are. */
  readonly signals: PasskeySignals | undefined
  /** The path of the script. */
  readonly script: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Creates, renames and removes passkeys. */
export function passkeysPage(props: PasskeysPageProps, view: View): string {
  const { base, csrf, passkeys, creation, signals, script, now } = props
  const { language } = view
  const title = say(language, 'own_passkeys')
  const create =
    creation === undefined
      ? html`<p>${say(language, 'own_passkeys_full')}</p>`
      : form({ action: `${base}/add-passkey`, csrf }, creationPart(creation, script, language))
  const cards = passkeys.map((passkey, index) => {
    const name = plainName(passkey.name)
    const rename = html`${hidden('id', passkey.id)}
<label for="name-${String(index)}">${say(language, 'own_passkey_name')}</label>
<input id="name-${String(index)}" name="name" value="${name}" maxlength="${String(MAX_NAME)}" required autocomplete="off">
<button aria-label="${say(language, 'own_passkey_rename_of', { name })}">${say(language, 'own_passkey_rename')}</button>`
    const remove = html`${hidden('id', passkey.id)}
<button aria-label="${say(language, 'own_passkey_remove_of', { name })}">${say(language, 'own_passkey_remove')}</button>`
    return html`<li>${passkeyFacts(passkey, now, language)}
${form({ action: `${base}/rename-passkey`, csrf }, rename)}
${form({ action: `${base}/remove-passkey`, csrf }, remove)}</li>\n`
  })
  const body = html`<h1>${title}</h1>
<p>${say(language, 'own_passkeys_lead')}</p>
${create}
${cards.length > 0 ? html`<ul class="items">\n${cards}</ul>\n` : ''}${signals ? passkeySignal(signals) : ''}
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(title, body, view)
}

function creationPart(options: object, script: string, language: Language): Html {
  const button = html`<button class="primary">${say(language, 'own_passkey_create')}</button>`
  return html`${passkeyPart({ options, use: 'create', script, button }, language)}
<noscript><p>${say(language, 'own_passkeys_script')}</p></noscript>`
}

/** What a person is told of one passkey. */
export function passkeyFacts(passkey: ListedPasskey, now: number, language: Language): Html {
  const { name, provider, created_at, last_used_at, is_synced } = passkey
  const created = say(language, 'own_passkey_created', { when: agoTime(created_at, now, language) })
  const facts = [
    ...(provider === undefined || name.startsWith(provider) ? [] : [html`${provider}`]),
    created,
    ...(last_used_at === undefined
      ? []
      : [say(language, 'own_last_used', { when: agoTime(last_used_at, now, language) })]),
    say(language, is_synced ? 'own_passkey_synced' : 'own_passkey_one_device'),
  ]
  return html`<strong><bdi>${plainName(name)}</bdi></strong><small>${facts.map((fact, i) => html`${i === 0 ? '' : ' · '}${fact}`)}</small>`
}
