import { PATHS } from '../core/paths.ts'
import { VERSION } from '../core/version.ts'
import { type Account, accountBadge } from './account.ts'
import { startButton } from './end.ts'
import { Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'

export interface HomeProps {
  readonly issuer: string
  /** The account that is signed in. */
  readonly account?: Account | undefined
  /** Whether there is a page of the own account. */
  readonly has_account_page?: boolean
  /** The pages of demo mode, if it is on. */
  readonly demo?: {
    readonly app: string
    readonly device: string
    readonly console?: string
    readonly mail?: string
    readonly docs?: string
  }
}

/** The page of `/`: what this service is, who is signed in, and where to go on. */
export function homePage(props: HomeProps, view: View): string {
  const { issuer, account, demo } = props
  const { language, theme } = view
  const title = say(language, 'home_title')
  const link = (href: string, text: Html) => html`<li><a class="link" href="${href}">${text}</a></li>\n`
  const links = [
    demo && link(demo.device, say(language, 'demo_device')),
    demo?.console && link(demo.console, say(language, 'home_console')),
    demo?.mail && link(demo.mail, say(language, 'demo_mail')),
    demo?.docs && link(demo.docs, say(language, 'home_docs')),
    link(`${theme.base}${PATHS.openid_configuration}`, say(language, 'home_discovery')),
  ].filter((item) => item instanceof Html)
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, demo ? 'home_demo_lead' : 'home_lead')}</p>
${account ? signedIn(account, view) : ''}${buttons(props, view)}<ul class="links">
${links}</ul>
<p class="note">redmint ${VERSION} · <bdi>${issuer}</bdi></p>`
  return page(title, body, view)
}

function signedIn(account: Account, { language, theme }: View): Html {
  return html`<div class="account chip">${accountBadge(account, say(language, 'account_signed_in'))}<a class="link" href="${theme.base}${PATHS.end_session}">${say(language, 'logout_submit')}</a></div>
`
}

function buttons({ demo, has_account_page }: HomeProps, { language, theme }: View): Html | string {
  const shown = [
    demo && html`<a class="button main" href="${demo.app}">${say(language, 'home_demo')}</a>\n`,
    has_account_page &&
      html`<a class="button" href="${theme.base}${PATHS.account}">${say(language, 'own_link')}</a>\n`,
  ].filter((button) => button instanceof Html)
  return shown.length === 0 ? '' : html`<div class="choice">\n${shown}</div>\n`
}

/** The page of an unknown path, or of an endpoint that only programs send requests to. */
export function notFoundPage({ for_programs }: { readonly for_programs: boolean }, view: View): string {
  const { language } = view
  const title = say(language, for_programs ? 'not_allowed_title' : 'not_found_title')
  const body = html`<h1>${title}</h1>
<p>${say(language, for_programs ? 'not_allowed_what' : 'not_found_what')}</p>
<p>${say(language, 'not_found_advice')}</p>
${startButton(view)}`
  return page(title, body, view)
}
