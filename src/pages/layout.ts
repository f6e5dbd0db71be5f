import type { PageLinks } from '../config/page-links.ts'
import { PATHS } from '../core/paths.ts'
import { hidden } from './form.ts'
import { Html, html } from './html.ts'
import { LANGUAGE_CHOICE } from './languages.ts'
import type { Language, MessageName } from './messages/language.ts'
import { PICTURES } from './picture.ts'
import { say } from './say.ts'
import { initialOf } from './text.ts'
import type { Theme } from './theme.ts'

/** The brand and the language of a page, and where it is. */
export interface View {
  readonly theme: Theme
  readonly language: Language
  /** The query of the address that shows the page; absent if no link can load the page again. */
  readonly query?: string
  /** The path of that address, if it is not the one of the request. */
  readonly path?: string
  /** The sealed contents of a page that no link can load again (kept.ts). */
  readonly kept?: string
  /** Whether the page has two columns where there is room for them. */
  readonly is_wide?: boolean
  /** Whether something waits for the answer of the person who is signed in. */
  readonly has_asks?: boolean
}

/** A page that is one sheet. `body` begins with an h1. */
export function page(title: string | Html, body: Html, view: View): string {
  const { theme } = view
  const content = html`<body>
<div class="card${view.is_wide ? ' wide' : ''}">
<header>${masthead(theme)}</header>
${asksBar(view)}<main>
${body}
</main>
</div>
${footer(view)}</body>`
  return wholePage({ title, style: theme.style, content }, view)
}

/** Says that something waits for the answer of the person, and leads there. */
function asksBar({ has_asks, theme, language }: View): Html | string {
  if (!has_asks) return ''
  return html`<div class="account chip bar" role="status">${PICTURES.bell}<span>${say(language, 'own_asks_bar')}</span><a class="link" href="${theme.base}${PATHS.account}#asks">${say(language, 'own_ask_open')}</a></div>
`
}

/** A page in any look. @param content from `<body>` to `</body>` */
export function wholePage(
  {
    title,
    style,
    content,
  }: { readonly title: string | Html; readonly style: string; readonly content: Html },
  { theme, language }: View,
): string {
  const { service_name } = theme.brand
  const sheet =
    theme.style_sheet === undefined ? '' : html`<link rel="stylesheet" href="${theme.style_sheet}">\n`
  return html`<!doctype html>
<html lang="${language.tag}" dir="${language.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${theme.base}${PATHS.icon}">
<title>${title} · ${service_name}</title>
<style>${new Html(style)}</style>
${sheet}</head>
${content}
</html>
`.toString()
}

/** The logo of the service, or its name. */
export function masthead({ brand: { service_name, logo_url } }: Theme): Html {
  if (logo_url !== undefined) return html`<img src="${logo_url}" alt="${service_name}">`
  return html`<span class="mark" aria-hidden="true">${initialOf(service_name)}</span><span>${service_name}</span>`
}

const FOOTER = [
  ['help_url', 'footer_help'],
  ['privacy_url', 'footer_privacy'],
  ['terms_url', 'footer_terms'],
  ['imprint_url', 'footer_imprint'],
] as const satisfies readonly (readonly [keyof PageLinks, MessageName])[]

/** The links of the operator, and the same page in each other language. */
export function footer(view: View): Html | string {
  const { theme, language } = view
  const links = FOOTER.flatMap(([field, name]) => {
    const url = theme.links[field]
    return url === undefined ? [] : [html`<a href="${url}">${say(language, name)}</a>\n`]
  })
  const switches = languageSwitches(view)
  return links.length === 0 && switches === '' ? '' : html`<footer>\n${links}${switches}</footer>\n`
}

/** How many languages stand in a row; more are folded, so that they do not fill the page of a phone. */
const IN_A_ROW = 4

/** The languages, of which the others are buttons of a form: it repeats the query, or carries the page. */
function languageSwitches({ theme, language, query, path, kept }: View): Html | string {
  if (query === undefined && kept === undefined) return ''
  const languages = theme.languages.map(({ tag, name }) =>
    tag === language.tag
      ? html`<span aria-current="true">${name}</span>\n`
      : html`<button name="${LANGUAGE_CHOICE}" value="${tag}" lang="${tag}">${name}</button>\n`,
  )
  const group = html`<div class="languages" role="group" aria-label="${say(language, 'footer_language')}">\n${languages.length > IN_A_ROW ? '' : PICTURES.globe}${languages}</div>\n`
  const shown =
    languages.length > IN_A_ROW
      ? html`<details>\n<summary>${PICTURES.globe}<span>${language.name}</span></summary>\n${group}</details>\n`
      : group
  if (query === undefined && kept !== undefined)
    return html`<form method="post" action="${theme.base}${PATHS.language}">\n${hidden('page', kept)}\n${shown}</form>\n`
  const repeated = [...new URLSearchParams(query)].filter(([name]) => name !== LANGUAGE_CHOICE)
  const fields = repeated.map(([name, value]) => html`${hidden(name, value)}\n`)
  return html`<form${path === undefined ? '' : html` action="${path}"`}>\n${fields}${shown}</form>\n`
}
