import type { InteractionReply } from '../interaction/interaction.ts'
import type { ClientResponse } from './response.ts'

/** What the browser gets for an authorization request, or for a step of one. */
export type Reply =
  | InteractionReply
  /** The response, to the client. `ui_locales`: those of the request. */
  | { to: 'client'; response: ClientResponse; ui_locales: string | undefined }
  /** The same request again, by GET. */
  | { to: 'repeat' }
