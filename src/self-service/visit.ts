import type { Parameters } from '../core/parameters.ts'
import type { Flows } from '../interaction/flow.ts'
import type { Sender } from '../interaction/submission.ts'
import type { Browser } from '../sessions/browser.ts'

/** A request of a browser for a page of its user. */
export interface Visit extends Sender {
  readonly browser: Browser
  /** The query, or the form. */
  readonly given: Parameters
  /** The kinds of requests that users continue on the pages. */
  readonly flows: Flows<unknown>
  /** Returns the tag of the language of a page. @param ui_locales those of the request that waits */
  languageFor(ui_locales?: string): string
}
