import { hidden } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { initialOf, initialsOf, plainName } from '../../pages/text.ts'
import { SECTION_GROUPS, type SectionGroup } from '../../service/section.ts'
import type { Desk } from '../desk.ts'
import type { Failing } from '../failing.ts'
import type { Head } from '../rows.ts'
import { SECTIONS, type SectionName } from '../sections.ts'

/** What every page of the console has besides its contents. */
export interface Frame {
  readonly service_name: string
  /** The issuer: production and staging look different. */
  readonly issuer: string
  /** The path of the console. */
  readonly base: string
  /** The address of the style sheet. */
  readonly style: string
  /** The address of the script. */
  readonly script: string
  /** The one of the operator; absent: nobody is signed in. */
  readonly desk?: Desk
  /** How many things fail, by sections. */
  readonly failing?: Failing | undefined
  /** Binds forms to the session. */
  readonly csrf?: string | undefined
}

/** What a page of the console shows. */
interface Contents {
  readonly title: string
  readonly head?: Head | undefined
  readonly section?: SectionName
  readonly body: Html
  /** What was done just now. */
  readonly result?: Html | undefined
}

/** A whole page of the console. */
export function shell(
  { section, body, head = {}, result = html``, ...contents }: Contents,
  frame: Frame,
): string {
  // A name in it cannot turn the words around it.
  const title = contents.title.replace(/\p{Bidi_Control}/gu, '')
  const { service_name, base, style, script, desk } = frame
  const work = html`<main class="work" id="main">
${result}${trail(head, frame)}${titleRow(title, head)}${body}
</main>
`
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
<body class="console${desk === undefined ? '' : ' desk'}">
<a class="skip" href="#main">Skip to the contents</a>
${desk === undefined ? html`<header class="top">${brand(frame)}</header>\n${work}` : signedIn(frame, desk, section, work)}</body>
</html>
`.toString()
}

function signedIn(frame: Frame, desk: Desk, section: SectionName | undefined, work: Html): Html {
  const places = navigation(frame, desk, section)
  return html`<nav class="side" aria-label="Console">
${brand(frame)}
${places}</nav>
<div>
<header class="top">
<details class="phone-menu"><summary aria-label="Menu">${icon('menu')}</summary>
<nav class="side" aria-label="Console, menu">
${places}<h2>${shownName(desk)}</h2>
<ul><li>${signOut(frame, html`<button>${icon('sign_out')}Sign out</button>`)}</li></ul>
</nav>
</details>
${search(frame)}
<div class="mine"><span class="face" aria-hidden="true">${initialsOf(operatorName(desk))}</span><span class="nowrap">${shownName(desk)}</span>${signOut(frame, html`<button class="plain small">Sign out</button>`)}</div>
</header>
${work}</div>
`
}

const operatorName = ({ operator: { caller } }: Desk): string => caller.name?.trim() || caller.id

const shownName = (desk: Desk): Html => html`<bdi>${plainName(operatorName(desk))}</bdi>`

const brand = ({ service_name, issuer, base }: Frame): Html =>
  html`<a class="brand" href="${base}"><span class="mark" aria-hidden="true">${initialOf(service_name)}</span><span>${service_name} console<small>${new URL(issuer).host}</small></span></a>`

const signOut = ({ base, csrf = '' }: Frame, button: Html): Html =>
  html`<form method="post" action="${base}/sign-out">${hidden('csrf', csrf)}${button}</form>`

function search({ base, csrf = '' }: Frame): Html {
  return html`<form class="find" role="search" method="post" action="${base}/find">
${hidden('csrf', csrf)}
<input name="q" type="search" aria-label="Search" placeholder="Search everything" autocomplete="off" spellcheck="false">
<button aria-label="Search">${icon('search')}</button>
</form>`
}

interface Place {
  readonly name: string
  readonly title: string
  readonly path: string
  readonly group?: SectionGroup
  readonly icon: IconName
}

/** The sections that the operator may see, in their groups. */
function navigation({ failing = {} }: Frame, desk: Desk, section: SectionName | undefined): Html {
  const own: Place[] = Object.entries(SECTIONS).flatMap(([name, { operation, ...place }]) =>
    operation === undefined || desk.may(operation) ? [{ name, ...place }] : [],
  )
  const of_rooms = desk.sections.map(
    ({ path, title, group = 'Server' }): Place => ({ name: path, path, title, group, icon: 'file' }),
  )
  const seen = [...own, ...of_rooms]
  const list = (places: readonly Place[]) => html`<ul>
${places.map(({ name, title, path, icon: picture }) => html`<li><a href="${desk.base}${path}"${name === section ? html` aria-current="page"` : ''}>${icon(picture)}${title}${failures(failing[name as SectionName])}</a></li>\n`)}</ul>
`
  const groups = SECTION_GROUPS.map((group) => {
    const places = seen.filter((place) => place.group === group)
    return places.length === 0 ? '' : html`<h2>${group}</h2>\n${list(places)}`
  })
  return html`${list(seen.filter(({ group }) => group === undefined))}${groups}`
}

const failures = (count = 0): Html | '' =>
  count === 0
    ? ''
    : html` <span class="state bad"><span class="read-only">failing: </span>${String(count)}</span>`

/** Whether the operator may open the list at a path; anything else is what a page above leads to. */
function mayOpen(desk: Desk | undefined, path: string): boolean {
  const section = Object.values(SECTIONS).find((one) => one.path === path)
  return section?.operation === undefined || desk?.may(section.operation) === true
}

/** The pages above this one. */
function trail({ path = [] }: Head, { base, desk }: Frame): Html | '' {
  if (path.length === 0) return ''
  const parts = path.map(([label, place], i) => {
    const shown = html`<bdi>${plainName(label)}</bdi>`
    const one =
      place === undefined || !mayOpen(desk, place)
        ? html`<span>${shown}</span>`
        : html`<a href="${base}${place}">${shown}</a>`
    return html`${i === 0 ? '' : html` <span aria-hidden="true">/</span> `}${one}`
  })
  return html`<nav class="path" aria-label="Path">${parts}</nav>\n`
}

function titleRow(title: string, { mark = html``, beside = '', lead = '', actions = '' }: Head): Html {
  const below = lead.toString() === '' ? '' : html`\n<p>${lead}</p>`
  const buttons = actions.toString() === '' ? '' : html`\n<div class="buttons">${actions}</div>`
  const shown = beside.toString() === '' ? '' : html` ${beside}`
  return html`<div class="title">
<div>${mark}<div><div class="heading"><h1>${title.slice(0, 300)}</h1>${shown}</div>${below}</div></div>${buttons}
</div>
`
}
