import type { Html } from './html.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { PICTURES } from './picture.ts'
import { type RequestNote, requestNote } from './request-note.ts'
import { say } from './say.ts'

export interface EndProps {
  readonly title: Html
  readonly lead: Html
  /** What else is to be said, each a paragraph. */
  readonly also?: readonly Html[]
  /** Whether what the user wanted is done: then the page has a check mark. */
  readonly is_done: boolean
  /** The way on; by default a button to the start page. */
  readonly next?: Html | string
  /** The request, if what the user wanted was refused. */
  readonly refused?: RequestNote | undefined
}

/** A page after which nothing goes on here: what happened, and one way on. */
export function endPage({ title, lead, also = [], is_done, next, refused }: EndProps, view: View): string {
  const mark = is_done ? html`<div class="check">${PICTURES.check}</div>\n` : ''
  return page(
    title,
    html`${mark}<h1>${title}</h1>\n<p>${lead}</p>${also.map((text) => html`\n<p>${text}</p>`)}\n${next || startButton(view)}${refused ? html`\n${requestNote(refused, view.language)}` : ''}`,
    view,
  )
}

/** The button to the start page. */
export function startButton({ theme, language }: View): Html {
  return html`<div class="choice"><a class="button" href="${theme.base}/">${say(language, 'not_found_home')}</a></div>`
}
