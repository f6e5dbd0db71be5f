import { hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { initialOf, plainName } from '../../pages/text.ts'
import type { Desk } from '../desk.ts'
import { SECTIONS, type SectionName } from '../sections.ts'

/** What every page of the console has besides its contents. */
export interface Frame {
  readonly service_name: string
  /** The path of the console. */
  readonly base: string
  /** The address of the style sheet. */
  readonly style: string
  /** The address of the script. */
  readonly script: string
  /** The one of the operator; absent: nobody is signed in. */
  readonly desk?: Desk
  /** Binds forms to the session. */
  readonly csrf?: string | undefined
}

/** What a page of the console shows. */
interface Contents {
  readonly title: string
  readonly section?: SectionName
  readonly body: Html
  /** What was done just now. */
  readonly result?: Html | undefined
}

/** A whole page of the console. */
export function shell({ section, body, result = html``, ...contents }: Contents, frame: Frame): string {
  // A name in it cannot turn the words around it.
  const title = contents.title.replace(/\p{Bidi_Control}/gu, '')
  const { service_name, base, style, script, desk } = frame
  return html`<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<link rel="icon" type="image/svg+xml" href="${base}/icon.svg">
<link rel="stylesheet" href="${style}">
<script src="${script}" defer></script>
<title>${title.slice(0, 120)} · Console of ${service_name}</title>
</head>
<body>
<a class="skip" href="#main">Skip to the contents</a>
<header class="top">
<a class="brand" href="${base}"><span class="mark" aria-hidden="true">${initialOf(service_name)}</span><span>${service_name} console</span></a>
${desk === undefined ? '' : search(frame, desk)}</header>
${desk === undefined ? '' : navigation(desk, section)}<main class="desk" id="main">
<h1>${title.slice(0, 300)}</h1>
${result}${body}
</main>
</body>
</html>
`.toString()
}

function search({ base, csrf = '' }: Frame, { operator: { caller } }: Desk): Html {
  return html`<form role="search" method="post" action="${base}/find">
${hidden('csrf', csrf)}
<input name="q" type="search" aria-label="Search" placeholder="Name, address, client, request id, token" autocomplete="off" spellcheck="false">
<button>Search</button>
</form>
<span class="who">${plainName(caller.id)} · <a href="${base}/sign-out">Sign out</a></span>
`
}

function navigation(desk: Desk, section: SectionName | undefined): Html {
  const own = Object.entries(SECTIONS).flatMap(([name, { operation, ...link }]) =>
    operation === undefined || desk.may(operation) ? [{ name, ...link }] : [],
  )
  const seen = [...own, ...desk.sections.map(({ path, title }) => ({ name: path, path, title }))]
  return html`<nav class="bar" aria-label="Console"><ul>
${seen.map(({ name, title, path }) => html`<li><a href="${desk.base}${path}"${name === section ? html` aria-current="page"` : ''}>${title}</a></li>\n`)}</ul></nav>
`
}
