import { form, hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { page, type View } from '../../pages/layout.ts'
import { passkeyPart, passkeyScript, passkeySignal } from '../../pages/passkey.ts'
import { passkeyFacts, type ShownPasskey } from '../../pages/passkey-list.ts'
import { say } from '../../pages/say.ts'
import { plainName } from '../../pages/text.ts'
import type { AccountLinks } from './account-form.ts'

/**
 * Why nothing came of an answer: another one is wanted, the account has it, there are too many, or it is the last way
 * in.
 */
export type PasskeyProblem = 'refused' | 'known' | 'too_many' | 'name' | 'last'

export interface PasskeysPageProps extends AccountLinks {
  readonly passkeys: readonly ShownPasskey[]
  /** What the browser is asked for to make one; undefined: there are as many as there may be. */
  readonly options: object | undefined
  /** What the browser is told of those that there are. */
  readonly signals: object | undefined
  /** The path of the script. */
  readonly script: string
  readonly problem?: PasskeyProblem
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The passkeys of a person, a card each: renamed, removed, and new ones made. */
export function passkeysPage(props: PasskeysPageProps, view: View): string {
  const { base, csrf, passkeys, options, signals, script, problem } = props
  const { language } = view
  const title = say(language, 'own_passkeys')
  const alert =
    problem &&
    html`<p class="alert" id="problem" role="alert">${say(language, `own_passkey_${problem}`)}</p>\n`
  const button = html`<button class="main">${say(language, 'passkey_create')}</button>`
  const create =
    options === undefined
      ? passkeyScript(script)
      : html`${form({ action: `${base}/add-passkey`, csrf }, passkeyPart({ options, use: 'create', script, button }, language))}
<noscript><p>${say(language, 'passkey_no_script')}</p></noscript>`
  const body = html`<h1>${title}</h1>
${alert ?? ''}<p class="lead">${say(language, 'own_passkeys_lead')}</p>
${passkeys.length === 0 ? '' : html`<ul class="items">\n${passkeys.map((passkey) => card(passkey, props, view))}</ul>\n`}${create}
${signals === undefined ? '' : passkeySignal(signals)}
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(alert ? say(language, 'title_with_problem', { title }) : title, body, view)
}

function card(passkey: ShownPasskey, { base, csrf, now }: PasskeysPageProps, { language }: View): Html {
  const { id, name } = passkey
  const shown = plainName(name)
  const rename = say(language, 'own_passkey_name_of', { name: shown })
  const remove = say(language, 'own_passkey_remove_of', { name: shown })
  return html`<li>${passkeyFacts(passkey, now, language)}
<details>
<summary aria-label="${rename}">${say(language, 'own_passkey_rename')}</summary>
${form({ action: `${base}/rename-passkey`, csrf }, html`${hidden('passkey', id)}\n<label for="name-${id}">${say(language, 'own_passkey_new_name')}</label>\n<input id="name-${id}" name="name" value="${name}" maxlength="64" autocomplete="off" required>\n<button>${say(language, 'own_passkey_rename')}</button>`)}
</details>
${form({ action: `${base}/remove-passkey`, csrf }, html`${hidden('passkey', id)}\n<button aria-label="${remove}">${say(language, 'own_passkey_remove')}</button>`)}</li>\n`
}

/** Says that a passkey is gone, and tells the browser which ones are left. */
export function passkeyRemovedPage(
  { base, signals, script }: Pick<PasskeysPageProps, 'base' | 'signals' | 'script'>,
  view: View,
): string {
  const { language } = view
  const title = say(language, 'own_passkey_removed')
  const body = html`<h1>${title}</h1>
<p>${say(language, 'own_passkey_removed_lead')}</p>
${signals === undefined ? '' : passkeySignal(signals)}${passkeyScript(script)}
<div class="choice"><a class="button" href="${base}">${say(language, 'own_back')}</a></div>`
  return page(title, body, view)
}
