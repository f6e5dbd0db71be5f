import { DEMO_LINKS } from '../config/demo-defaults.ts'
import { PATHS } from '../core/paths.ts'
import { startButton } from '../pages/end.ts'
import { type Html, html } from '../pages/html.ts'
import { page, type View } from '../pages/layout.ts'
import type { Language } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import { whenText } from '../pages/when.ts'

/** A token as the page shows it: as it is, and decoded if it is a JWT. */
export interface ShownToken {
  readonly text: string
  /** Header and claims of a JWT. */
  readonly decoded?: readonly object[]
}

/** A request of the demo, and its answer. */
export interface ShownAnswer {
  readonly request: string
  readonly status: number
  readonly json: unknown
}

export interface DemoProps {
  readonly id_token: ShownToken
  readonly access_token: ShownToken
  readonly refresh_token?: ShownToken
  readonly scope: string
  /** The request that was sent last, and its answer. */
  readonly last?: ShownAnswer
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface DemoStartProps {
  readonly username: string
  /** Absent: nobody signs in with one. */
  readonly password?: string
  /** The answer that ended the last attempt. */
  readonly problem?: unknown
}

/** The demo before a sign-in. @param shows_mail whether there is a page of mails */
export function demoStartPage(
  { problem, shows_mail, ...account }: DemoStartProps & { readonly shows_mail: boolean },
  view: View,
): string {
  const { language, theme } = view
  const title = say(language, 'demo_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'demo_lead')}</p>
${problemAlert(problem)}
${demoAccount(account, view)}
<div class="choice">
<a class="button main" href="${theme.base}${PATHS.demo}/sign-in">${say(language, 'demo_sign_in')}</a>
<a class="button" href="${theme.base}${PATHS.demo_device}">${say(language, 'demo_device')}</a>
${shows_mail ? html`<a class="button" href="${theme.base}${PATHS.demo_mail}">${say(language, 'demo_mail')}</a>` : ''}
</div>`
  return page(title, body, view)
}

/** The demo after a sign-in: the tokens, and what a client can do with them. */
export function demoPage(props: DemoProps, view: View): string {
  const { language, theme } = view
  const { scope, last } = props
  const title = say(language, 'demo_signed_in_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'demo_signed_in_lead', { scope: html`<code>${scope}</code>` })}</p>
<form method="post" action="${theme.base}${PATHS.demo}" class="choice four">
<button class="main" name="action" value="api">${say(language, 'demo_api')}</button>
<button name="action" value="userinfo">${say(language, 'demo_userinfo')}</button>
<button name="action" value="refresh">${say(language, 'demo_refresh')}</button>
<button name="action" value="sign-out">${say(language, 'demo_sign_out')}</button>
</form>
${lastAnswer(last, view)}
${tokenSections(props, view)}`
  return page(title, body, { ...view, is_wide: true })
}

/** The page that a link of the footer leads to in demo mode: it says how to set the link. */
export function demoLinkPage(name: keyof typeof DEMO_LINKS, view: View): string {
  const { language } = view
  const title = say(language, `footer_${name}`)
  const variable = html`<code>${DEMO_LINKS[name].toUpperCase()}</code>`
  return page(
    title,
    html`<h1>${title}</h1>\n<p>${say(language, 'demo_link', { variable })}</p>\n${startButton(view)}`,
    view,
  )
}

/** The answer that ended the last attempt, if there is one. */
export function problemAlert(problem: unknown): Html | '' {
  return problem === undefined ? '' : html`<div class="alert" role="alert"><pre>${json(problem)}</pre></div>`
}

/** Who can sign in; nothing where a password is of no use. */
export function demoAccount(
  { username, password }: Pick<DemoStartProps, 'username' | 'password'>,
  { language }: View,
): Html | '' {
  if (password === undefined) return ''
  return html`<p>${say(language, 'demo_account', { username: html`<strong>${username}</strong>`, password: html`<strong>${password}</strong>` })}</p>`
}

/** Each token, decoded if it is a JWT. */
export function tokenSections(props: Omit<DemoProps, 'last' | 'scope'>, { language }: View): Html {
  const { id_token, access_token, refresh_token, now } = props
  const section = (name: string, token: ShownToken, note: Html) =>
    tokenSection(name, token, { note, now, language })
  return html`${section('id_token', id_token, say(language, 'demo_id_token'))}
${section('access_token', access_token, say(language, access_token.decoded ? 'demo_jwt' : 'demo_opaque'))}
${refresh_token === undefined ? '' : section('refresh_token', refresh_token, say(language, 'demo_refresh_token'))}`
}

/** The request that was sent last, and its answer, if there is one. */
export function lastAnswer(last: ShownAnswer | undefined, { language }: View): Html | '' {
  if (last === undefined) return ''
  const { request, status, json: body } = last
  return html`<section class="details" aria-labelledby="last" role="status">
<h2 id="last">${say(language, 'demo_answer')}</h2>
<p><code>${request}: ${String(status)}</code></p>
<pre tabindex="0">${json(body)}</pre>
</section>`
}

interface SectionProps {
  readonly note: Html
  /** Milliseconds since 1970. */
  readonly now: number
  readonly language: Language
}

function tokenSection(
  name: string,
  { text, decoded }: ShownToken,
  { note, now, language }: SectionProps,
): Html {
  const raw = html`<pre tabindex="0">${text}</pre>`
  const beside = decoded?.map((part) => html`<pre tabindex="0">${timed(json(part), now, language)}</pre>\n`)
  return html`<section class="details token" aria-labelledby="${name}">
<div>
<h2 id="${name}"><code>${name}</code></h2>
<p>${note}</p>
${beside ? html`<details>\n<summary>${say(language, 'demo_raw')}</summary>\n${raw}\n</details>` : ''}
</div>
<div>
${beside ?? raw}</div>
</section>`
}

// Claims that are times (RFC 7519 §4.1, OpenID Connect Core §2), each on its line.
const TIME = /^ *"(?:exp|iat|nbf|auth_time)": (\d+),?$/

/** JSON, with the times of its claims in words beside the numbers. */
function timed(text: string, now: number, language: Language): readonly (Html | string)[] {
  return text.split('\n').map((line, index) => {
    const [, seconds] = TIME.exec(line) ?? []
    const words =
      seconds === undefined ? '' : html`<small> ${whenText(Number(seconds) - now / 1000, language)}</small>`
    return html`${index === 0 ? '' : '\n'}${line}${words}`
  })
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}
