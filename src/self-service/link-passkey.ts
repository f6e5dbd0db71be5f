import type { Link } from '../core/link.ts'
import type { ConfirmedBrowser } from '../factors/confirmation.ts'

/** The browser that opened a link. */
export interface LinkBrowser {
  /** The digest of its browser id (`cookieDigest`). */
  readonly digest: string
  /** What it is called, as `browserName` says. */
  readonly name?: string | undefined
  /** Its session; absent: nobody is signed in. */
  readonly session?: ConfirmedBrowser
}

/** What a page that a link opens has for a passkey. */
export interface LinkPasskey {
  /** Whether one is made, or used. */
  readonly use: 'create' | 'get'
  /** What the browser is asked for, as JSON. */
  readonly options: object
  /** The path of the script. */
  readonly script: string
  /** The passkey of the last answer leads nowhere: its keeper is told. */
  readonly is_unknown?: boolean
}

/** What a challenge of such a page is bound to: the link, and the browser that opened it. */
export const boundTo = ({ digest }: Link, browser: LinkBrowser): string => `${digest} ${browser.digest}`
