import type { InteractionReply } from '../interaction/interaction.ts'
import type { NewCookies } from '../sessions/browser.ts'
import type { ClientResponse } from './response.ts'

/** The response to the client. `ui_locales`: those of the request. */
export interface ClientReply {
  readonly to: 'client'
  readonly response: ClientResponse
  readonly ui_locales: string | undefined
  /** New values for the browser's cookies. */
  readonly cookies?: NewCookies
}

/** What the browser gets for an authorization request; `repeat`: a page that sends the same form again. */
export type Reply = InteractionReply | ClientReply | { readonly to: 'repeat' }
