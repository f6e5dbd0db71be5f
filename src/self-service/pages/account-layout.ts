import { PATHS } from '../../core/paths.ts'
import { form } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { type IconName, icon } from '../../pages/icons.ts'
import { footer, masthead, type View, wholePage } from '../../pages/layout.ts'
import type { MessageName } from '../../pages/messages/language.ts'
import { say } from '../../pages/say.ts'
import { initialsOf, plainName } from '../../pages/text.ts'
import type { AccountLinks } from './account-form.ts'

/** A section of the account page. */
export interface Section {
  readonly id: string
  readonly title: MessageName
  readonly icon: IconName
  readonly content: Html
  /** One small button beside the title. */
  readonly action?: Html | ''
  /** A line below the title. */
  readonly lead?: Html
}

export interface LayoutProps extends AccountLinks {
  /** What the person is called. */
  readonly name: string
  /** What was done just now; empty: nothing. */
  readonly result: Html | ''
  readonly sections: readonly Section[]
}

/** The account page: who is signed in at the top, the sections at the side, and panels. */
export function accountLayout(props: LayoutProps, view: View): string {
  const { base, csrf, name, result, sections } = props
  const { theme, language } = view
  const title = say(language, 'own_title')
  const shown = plainName(name)
  const initials = initialsOf(name)
  const links = sections.map(
    (one) =>
      html`<li><a href="#${one.id}">${icon(one.icon)}${String(language.messages[one.title])}</a></li>\n`,
  )
  const content = html`<body class="account">
<a class="skip" href="#main">${say(language, 'own_skip')}</a>
<header class="top"><a class="brand" href="${theme.base}${PATHS.account}">${masthead(theme)}</a><div class="mine"><span class="face" aria-hidden="true">${initials}</span><span class="nowrap"><bdi>${shown}</bdi></span>${form({ action: `${base}/sign-out`, csrf }, html`<button class="small">${say(language, 'own_sign_out')}</button>`)}</div></header>
<div class="frame">
<nav class="side contents" aria-label="${title}">
<ul>
${links}</ul>
</nav>
<main id="main">
<div class="title"><div><span class="face large" aria-hidden="true">${initials}</span><div><h1>${title}</h1><p><bdi>${shown}</bdi></p></div></div></div>
${result}${sections.map((one) => panel(one, view))}</main>
</div>
${footer(view)}</body>`
  return wholePage({ title, style: theme.account_style, content }, view)
}

function panel({ id, title, content, action = '', lead }: Section, { language }: View): Html {
  return html`<section class="panel" id="${id}" aria-labelledby="${id}-title">
<header><h2 id="${id}-title">${String(language.messages[title])}</h2>${action}${lead === undefined ? '' : html`<p>${lead}</p>`}</header>
${content}
</section>
`
}

/** A row of a section. */
export interface AccountRow {
  /** A picture, or initials. */
  readonly mark?: Html
  readonly name: Html
  /** What is so of it: a state, or a few small lines. */
  readonly detail?: Html | ''
  /** One small button, or a time. */
  readonly action?: Html | ''
}

/** Rows with what is so at the left, and one small thing to do at the right. */
export const rows = (given: readonly AccountRow[]): Html => html`<ul class="rows">
${given.map(({ mark, name, detail = '', action = '' }) => html`<li>${mark ?? ''}<div class="grow">${name}${detail}</div>${action}</li>\n`)}</ul>`

/** Parts of a line, with dots between them. */
export const line = (parts: readonly (string | Html | undefined)[]): Html =>
  html`<small>${parts.filter((part) => part !== undefined && String(part) !== '').map((part, i) => html`${i === 0 ? '' : ' · '}${part ?? ''}`)}</small>`

/** A small link that looks like a button, with the words of it and what it is about. */
export const smallLink = (href: string, text: Html | string, label?: Html): Html =>
  html`<a class="button small" href="${href}"${label === undefined ? '' : html` aria-label="${label}"`}>${text}</a>`
