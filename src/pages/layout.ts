import { PATHS } from '../core/paths.ts'
import { Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { initialOf } from './text.ts'
import type { Theme } from './theme.ts'

/** The brand and the language of a page. */
export interface View {
  readonly theme: Theme
  readonly language: Language
}

/** A whole page. `body` begins with an h1. */
export function page(title: string | Html, body: Html, { theme, language }: View): string {
  const { service_name } = theme.brand
  return html`<!doctype html>
<html lang="${language.tag}" dir="${language.dir}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${PATHS.icon}">
<title>${title} · ${service_name}</title>
<style>${new Html(theme.style)}</style>
</head>
<body>
<div class="card">
<header>${masthead(theme)}</header>
<main>
${body}
</main>
</div>
</body>
</html>
`.toString()
}

function masthead({ brand: { service_name, logo_url } }: Theme): Html {
  if (logo_url !== undefined) return html`<img src="${logo_url}" alt="${service_name}">`
  return html`<span class="mark" aria-hidden="true">${initialOf(service_name)}</span><span>${service_name}</span>`
}
