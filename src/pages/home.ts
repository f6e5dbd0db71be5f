import { PATHS } from '../core/paths.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'
import { nameInText } from './text.ts'

export interface HomeProps {
  /** The pages of demo mode, if it is on. */
  readonly demo?: { readonly app: string; readonly device: string; readonly docs?: string }
}

/** The page of `/`: what this service is, and where to go on. */
export function homePage({ demo }: HomeProps, view: View): string {
  const { language, theme } = view
  const { service_name } = theme.brand
  const links = [
    ...(demo === undefined
      ? []
      : [
          html`<a class="button primary" href="${demo.app}">${say(language, 'home_demo')}</a>\n`,
          html`<a class="button" href="${demo.device}">${say(language, 'demo_device')}</a>\n`,
          ...(demo.docs === undefined
            ? []
            : [html`<a class="button" href="${demo.docs}">${say(language, 'home_docs')}</a>\n`]),
        ]),
    html`<a class="button" href="${theme.base}${PATHS.openid_configuration}">${say(language, 'home_discovery')}</a>`,
  ]
  const body = html`<h1>${service_name}</h1>
<p class="lead">${say(language, 'home_lead')}</p>
<p>${say(language, 'home_advice', { service: nameInText(service_name) })}</p>
<div class="choice">
${links}
</div>`
  return page(say(language, 'home_title'), body, view)
}

/** The page of an unknown path, or of an endpoint that only programs send requests to. */
export function notFoundPage({ for_programs }: { readonly for_programs: boolean }, view: View): string {
  const { language, theme } = view
  const title = say(language, for_programs ? 'not_allowed_title' : 'not_found_title')
  const body = html`<h1>${title}</h1>
<p>${say(language, for_programs ? 'not_allowed_what' : 'not_found_what')}</p>
<p>${say(language, 'not_found_advice')}</p>
<div class="choice"><a class="button" href="${theme.base}/">${say(language, 'not_found_home')}</a></div>`
  return page(title, body, view)
}
