import { parseObject } from '../core/json.ts'
import { type ErrorProps, errorPage } from './error.ts'
import type { View } from './layout.ts'
import { type LoggedOutProps, loggedOutPage } from './logout.ts'

/**
 * The contents of a page that no link can open again. Its language form sends them back, sealed, so that the page is
 * the same in another language (docs/decisions/0043-small-scripts-and-languages.md).
 */
export type KeptPage =
  | { readonly page: 'error'; readonly props: Omit<ErrorProps, 'retry'> }
  | { readonly page: 'logged_out'; readonly props: LoggedOutProps }

/** Returns a text to be sealed. */
export function formatKept(kept: KeptPage): string {
  return JSON.stringify(kept)
}

/** Reads a text that was sealed here; undefined if it is a page of another version. */
export function parseKept(text: string): KeptPage | undefined {
  const kept = parseObject(text) as KeptPage | undefined
  if (kept?.page === 'error') return Number.isFinite(kept.props.at) ? kept : undefined
  return kept?.page === 'logged_out' ? kept : undefined
}

/** Renders the page. */
export function keptPage(kept: KeptPage, view: View): string {
  return kept.page === 'error' ? errorPage(kept.props, view) : loggedOutPage(kept.props, view)
}
