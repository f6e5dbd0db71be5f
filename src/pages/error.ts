import type { ComparedAddresses, OAuthError } from '../core/errors.ts'
import { type LinkedClient, linkBack, linkedClient } from './destination.ts'
import { type Html, html } from './html.ts'
import { page, type View } from './layout.ts'
import type { Language } from './messages/language.ts'
import { type RequestNote, requestNote } from './request-note.ts'
import { say } from './say.ts'
import { nameInText } from './text.ts'

/** What a page shows of an error. */
export interface ShownError extends Pick<OAuthError, 'code' | 'status' | 'description' | 'page'> {
  readonly client?: LinkedClient | undefined
  /** Of demo mode: the redirect URI that was sent, and the registered ones. */
  readonly compared?: ComparedAddresses | undefined
}

export interface ErrorProps extends RequestNote {
  readonly error: ShownError
  /** Whether to offer to open the same address again. */
  readonly retry?: boolean
}

/** How much the page shows of compared addresses. */
const MAX_SHOWN = 10
const MAX_LENGTH = 500

/** Returns what a page shows of an error, and nothing else that it has. */
export function shownError({ code, status, description, page, client, compared }: OAuthError): ShownError {
  return { code, status, description, page, client: client && linkedClient(client), compared }
}

/** The page of an error that the user sees: what happened, what to do, and the details for support. */
export function errorPage(props: ErrorProps, view: View): string {
  const { language } = view
  const { error } = props
  const kind = kindOf(props)
  const service = nameInText(view.theme.brand.service_name)
  const title = say(language, `error_${kind}_title`)
  const words = kind === 'account' ? 'unavailable' : kind
  const advice =
    words === 'request'
      ? say(language, 'error_request_advice')
      : say(language, `error_${words}_advice`, { service })
  const what =
    words === 'fault' ? say(language, 'error_fault_what') : say(language, `error_${words}_what`, { service })
  const body = html`<h1>${title}</h1>
<p>${what}</p>
<p>${advice}</p>
${props.retry ? html`<div class="choice"><a class="button main" href="">${say(language, 'error_retry')}</a></div>` : ''}
${linkBack(error.client, language)}
<details class="details"${error.compared ? html` open` : ''}>
<summary>${say(language, 'error_details')}</summary>
<dl>
<dt>${say(language, 'error_code')}</dt><dd><code>${error.code}</code></dd>
<dt>${say(language, 'error_meaning')}</dt><dd>${say(language, `code_${error.code}`)}</dd>
<dt>${say(language, 'error_description')}</dt><dd><span lang="en" dir="ltr">${error.description}</span></dd>
${error.compared ? comparison(error.compared, language) : ''}</dl>
</details>
${requestNote(props, language)}`
  return page(title, body, view)
}

function comparison({ sent, registered }: ComparedAddresses, language: Language): Html {
  const addresses = (uris: readonly string[]) =>
    uris.slice(0, MAX_SHOWN).map((uri) => html`<dd><code>${uri.slice(0, MAX_LENGTH)}</code></dd>`)
  return html`<dt>${say(language, 'error_sent_address')}</dt>${addresses([sent])}
<dt>${say(language, 'error_registered_addresses')}</dt>${addresses(registered.length === 0 ? ['–'] : registered)}
`
}

function kindOf({
  error,
}: ErrorProps): 'request' | 'unavailable' | 'fault' | NonNullable<OAuthError['page']> {
  if (error.page !== undefined) return error.page
  if (error.status < 500) return 'request'
  return error.status === 503 ? 'unavailable' : 'fault'
}
