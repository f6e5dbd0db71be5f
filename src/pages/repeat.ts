import { sentForm } from './form-post.ts'
import { html } from './html.ts'
import { page, type View } from './layout.ts'
import { say } from './say.ts'

export interface RepeatProps {
  /** The path that the form was sent to. */
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** Sends a form of another site once more, from here, by script or by a button: now the cookies come with it. */
export function repeatPage({ action, fields }: RepeatProps, { theme, language }: View): string {
  const title = say(language, 'repeat_title')
  const body = html`<h1>${title}</h1>
<p class="lead">${say(language, 'repeat_lead')}</p>
${sentForm(action, fields, language)}`
  // Without the query: the page answers a form.
  return page(title, body, { theme, language })
}
