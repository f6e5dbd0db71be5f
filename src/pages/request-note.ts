import { type Html, html } from './html.ts'
import type { Language } from './messages/language.ts'
import { say } from './say.ts'

/** What people give to those who run the service, so that these find out why a request was refused. */
export interface RequestNote {
  /** The id of the request in the log and in explanations. */
  readonly request_id: string
  /** When it was refused, in milliseconds since 1970. */
  readonly at: number
}

/** The id and the time of a refused request, small, at the end of a page. */
export function requestNote({ request_id, at }: RequestNote, language: Language): Html {
  const time = `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`
  return html`<dl class="note">
<dt>${say(language, 'error_request_id')}</dt><dd><code>${request_id}</code></dd>
<dt>${say(language, 'error_time')}</dt><dd><time dir="ltr">${time}</time></dd>
</dl>`
}
