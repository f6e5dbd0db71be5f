import { PATHS } from '../core/paths.ts'
import { type Html, html } from '../pages/html.ts'
import { page, type View } from '../pages/layout.ts'
import { type QrModules, qrPicture } from '../pages/qr-code.ts'
import { say } from '../pages/say.ts'
import {
  type DemoProps,
  type DemoStartProps,
  demoAccount,
  lastAnswer,
  problemAlert,
  type ShownAnswer,
  tokenSections,
} from './demo-page.ts'

export interface DemoDeviceCodeProps {
  readonly user_code: string
  readonly verification_uri: string
  /** The address with the code, and its QR code. */
  readonly verification_uri_complete: string
  readonly qr: QrModules
  /** Seconds between two token requests. */
  readonly interval: number
  readonly account: Pick<DemoStartProps, 'username' | 'password'>
  /** The token request that was sent last, and its answer. */
  readonly last?: ShownAnswer
}

/** The demo device before it has a code. */
export function demoDeviceStartPage({ problem, ...account }: DemoStartProps, view: View): string {
  const { language } = view
  const title = say(language, 'demo_device_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'demo_device_lead')}</p>
${problemAlert(problem)}
${demoAccount(account, view)}
${actions(view, html`<button class="main" name="action" value="start">${say(language, 'demo_device_start')}</button>`)}`
  return page(title, body, view)
}

/** The demo device while its user answers (RFC 8628 §3.3, §3.3.1). */
export function demoDeviceCodePage(props: DemoDeviceCodeProps, view: View): string {
  const { user_code, verification_uri, verification_uri_complete, qr, interval, account, last } = props
  const { language } = view
  const title = say(language, 'demo_device_shown_title')
  const address = html`<strong><bdi>${verification_uri}</bdi></strong>`
  const picture = qrPicture(qr, say(language, 'demo_device_qr'))
  const body = html`<h1>${title}</h1>
<div class="shown"><code>${user_code}</code>
${picture}</div>
<p>${say(language, 'demo_device_open', { address })}</p>
${demoAccount(account, view)}
<p>${say(language, 'demo_device_note', { seconds: interval })}</p>
${actions(
  view,
  html`<a class="button main" href="${verification_uri_complete}" target="_blank" rel="noopener">${say(language, 'demo_device_window')}</a>
<button name="action" value="check">${say(language, 'demo_device_check')}</button>
${again(view)}`,
)}
${lastAnswer(last, view)}`
  return page(title, body, view)
}

/** The demo device after its user allowed it. */
export function demoDeviceTokensPage(props: DemoProps, view: View): string {
  const { language } = view
  const { scope, last } = props
  const title = say(language, 'demo_signed_in_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'demo_device_tokens_lead', { scope: html`<code>${scope}</code>` })}</p>
${actions(
  view,
  html`<button class="main" name="action" value="api">${say(language, 'demo_api')}</button>
${again(view)}`,
)}
${lastAnswer(last, view)}
${tokenSections(props, view)}`
  return page(title, body, { ...view, is_wide: true })
}

const again = ({ language }: View): Html =>
  html`<button name="action" value="again">${say(language, 'demo_device_again')}</button>`

const actions = ({ theme }: View, buttons: Html): Html =>
  html`<form method="post" action="${theme.base}${PATHS.demo_device}" class="choice">\n${buttons}\n</form>`
