import type { Settings } from '../config/settings.ts'
import { signInExpired } from '../core/errors.ts'
import type { ClientId, TransactionId } from '../core/ids.ts'
import type { View } from '../pages/layout.ts'
import { type Browser, csrfToken, sameText } from '../sessions/browser.ts'
import { findSession, type Session, type SessionContext, type SignInContext } from '../sessions/session.ts'
import type { PendingRecord } from './pending-record.ts'
import { findPendingRequest, type PendingRequest } from './pending-request.ts'
import { changePending } from './pending-store.ts'
import type { LimitContext } from './sign-in-limit.ts'
import type { MethodContext, SignInMethods } from './sign-in-method.ts'
import type { Submission } from './submission.ts'

/** What the user must do before a request can be answered, whatever kind of request it is. */
export type UserStep =
  | { readonly step: 'login' }
  | { readonly step: 'select_account' }
  | {
      readonly step: 'consent'
      readonly client_id: ClientId
      /** The scope names that the page asks about. */
      readonly names: readonly string[]
      /** The scope names that the client may have from then on. */
      readonly consented: string
    }

/** What the browser gets for a step. */
export type InteractionReply =
  | { to: 'page'; render: (view: View) => string; ui_locales: string | undefined }
  /** The step that is due now, with new values for the browser's cookies. */
  | { to: 'next'; transaction: TransactionId; cookies?: { id?: string; session?: string } }
  /** Another site. A sign-in method chose the address. */
  | { to: 'site'; location: string }

/** A pending request in the browser that it belongs to. */
export interface Interaction extends PendingRequest {
  readonly transaction: TransactionId
  readonly browser: Browser
  readonly browser_id: string
  readonly session: Session | undefined
}

/** What the steps of a user work with. */
export type InteractionContext = SignInContext &
  SessionContext &
  LimitContext &
  MethodContext & {
    readonly methods: SignInMethods
    readonly settings: Pick<Settings, 'issuer' | 'scope_texts' | 'consent_ttl'>
  }

/**
 * Opens a pending request of one of these kinds in the browser that it belongs to.
 * @throws OAuthError `signInExpired` if it expired, is finished, or belongs to another browser; StorageUnavailable
 */
export async function openInteraction(
  context: InteractionContext,
  kinds: readonly string[],
  transaction: TransactionId | undefined,
  browser: Browser,
): Promise<Interaction> {
  const [request, session] = await Promise.all([
    findPendingRequest(context.storage, kinds, transaction ?? '', browser),
    findSession(context, browser),
  ])
  if (transaction === undefined || browser.id === undefined || request === undefined) throw signInExpired()
  return { ...request, transaction, browser, browser_id: browser.id, session }
}

/** What the form of a page sends as `csrf`: bound to the browser, the pending request and the session. */
export function csrfOf({ browser_id, transaction, session }: Interaction): string {
  return csrfToken(browser_id, transaction, session?.sid)
}

/** The `state` that another site must send back: it names the pending request, and is bound as `csrf` is. */
export function stateOf({ browser_id, transaction, session }: Interaction): string {
  return `${transaction}.${siteToken(browser_id, transaction, session)}`
}

// Another site learns it, so it must be of no use as `csrf`.
function siteToken(browser_id: string, transaction: TransactionId, session: Session | undefined): string {
  return csrfToken(browser_id, `site ${transaction}`, session?.sid)
}

/** Whether what was sent answers a page, or a visit to another site, of this browser, request and session. */
export function isAnswerTo(interaction: Interaction, { from, token }: Submission): boolean {
  const { browser_id, transaction, session } = interaction
  const expected = from === 'page' ? csrfOf(interaction) : siteToken(browser_id, transaction, session)
  return sameText(token, expected)
}

/** Sends the browser to the step that is due. */
export function toNextStep({ transaction }: Interaction): InteractionReply {
  return { to: 'next', transaction }
}

/**
 * Stores what the user did, and sends the browser to the step that is due then.
 * @throws OAuthError `signInExpired` if the request expired or was answered meanwhile; StorageUnavailable
 */
export async function recordProgress(
  { storage }: InteractionContext,
  interaction: Interaction,
  set: Partial<PendingRecord>,
): Promise<InteractionReply> {
  if ((await changePending(storage, interaction.transaction, set)) === 'missing') throw signInExpired()
  return toNextStep(interaction)
}
