import type { OAuthError } from '../errors.ts'
import { html } from './html.ts'
import { page } from './layout.ts'

/** The page for a person whose sign-in cannot go on. `request_id` finds the request in the log. */
export function errorPage(error: OAuthError, request_id: string): string {
  const [title, advice] =
    error.status >= 500
      ? ['Something went wrong', 'Nothing is lost. Please try again in a moment.']
      : [
          'This sign-in link does not work',
          'Go back to the application and start again. If it happens again, tell the people who run that application.',
        ]
  return page(
    title,
    html`<h1>${title}</h1>
<p>${error.description}</p>
<p>${advice}</p>
<p><small>Error <code>${error.code}</code>, request <code>${request_id}</code></small></p>`,
  )
}
