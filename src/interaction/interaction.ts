import type { ClientRegistry } from '../clients/client-registry.ts'
import type { Settings } from '../config/settings.ts'
import type { Transaction } from '../core/ids.ts'
import type { Parameters } from '../core/parameters.ts'
import type { OnRefusal } from '../core/refusal.ts'
import { signInExpired } from '../core/request-errors.ts'
import type { View } from '../pages/layout.ts'
import type { MessageName } from '../pages/messages/language.ts'
import type { PageNeeds } from '../pages/theme.ts'
import type { Browser, NewCookies } from '../sessions/browser.ts'
import { findSession, type Session, type SessionContext, type SignInContext } from '../sessions/session.ts'
import type { NoAccessStep } from './access-step.ts'
import type { ConsentSite } from './consent-site.ts'
import type { ConsentStep } from './consent-step.ts'
import { openPending, type PendingContext, type PendingRequest, requesterOf } from './pending-request.ts'
import type { JudgeContext, SignInTally } from './sign-in.ts'
import type { LimitContext } from './sign-in-limit.ts'
import type { SignInMethods } from './sign-in-method.ts'
import type { BarContext } from './waiting-bar.ts'
import type { WaysBack } from './ways-back.ts'

/** What the user must do before a request can be answered, whatever kind of request it is. */
export type UserStep = LoginStep | { readonly step: 'select_account' } | NoAccessStep | ConsentStep

/** The user must sign in. */
export interface LoginStep {
  readonly step: 'login'
  /** The user who is signed in is not the one that the request asks for. */
  readonly as_another?: boolean
  /** The acr values of which the client wants one; absent: any. */
  readonly acr_values?: readonly string[]
  /** The user who is signed in is the right one, and recent enough: only an acr is missing. */
  readonly is_step_up?: boolean
  /**
   * How old the proof of who it is may be at most, in seconds; 0: the user shows it for this request. Absent: any age
   * will do.
   */
  readonly max_age?: number
  /** The provider by which the user has to come back: `comesBackBy`. */
  readonly provider?: string
  /** The user who is signed in is about to change the account, and confirms who it is: by a passkey, or in any way. */
  readonly confirms?: 'by_passkey' | 'anyhow'
  /** What who confirms can come back by as the same person, besides a password. */
  readonly ways?: WaysBack
  /** The title of the page of the account for which the user confirms. */
  readonly next?: MessageName
  /** What the user confirms for is a right to change what is of others. */
  readonly is_for_rights?: true
  /** The request wants the person to make an account first. */
  readonly creates?: boolean
}

/** A page. */
export interface PageReply {
  to: 'page'
  render: (view: View) => string
  needs: PageNeeds
  ui_locales: string | undefined
  /** Absent: 200. */
  status?: 400
  /** New values for the browser's cookies. */
  cookies?: NewCookies
}

/** What the browser gets for a step. */
export type InteractionReply =
  | PageReply
  /** The step that is due now, with new values for the browser's cookies. */
  | { to: 'next'; transaction: Transaction; cookies?: NewCookies }
  /** Another site. A sign-in method or a setting chose the address. */
  | { to: 'site'; location: string }

/** A pending request in the browser that it belongs to. */
export interface Interaction extends PendingRequest {
  readonly parameters: Parameters
  readonly browser: Browser
  readonly browser_id: string
  readonly session: Session | undefined
}

/** What the steps of a user work with. */
export type InteractionContext = SignInContext &
  SessionContext &
  LimitContext &
  JudgeContext &
  BarContext &
  PendingContext & {
    readonly clients: Pick<ClientRegistry, 'find'>
    readonly methods: SignInMethods
    readonly refused: OnRefusal
    /** The id by which the refusal of this request is explained. */
    readonly request_id: string
    /** When the request began, in milliseconds since 1970, before anything was judged. */
    readonly began: () => number
    /** The page of an application that asks for consent; undefined: that of redmint does. */
    readonly consent_site: ConsentSite | undefined
    readonly counts: { readonly sign_ins: SignInTally }
    readonly settings: Pick<
      Settings,
      'issuer' | 'scope_claims' | 'scope_texts' | 'consent_ttl' | 'session_persistent' | 'username_first'
    >
  }

const NOT_OPEN = 'no request of this browser: over, answered, of another browser, or none'

/**
 * Opens a pending request of one of these kinds in the browser that it belongs to.
 * @throws OAuthError `signInExpired` if it expired or belongs to another browser; StorageUnavailable
 */
export async function openInteraction(
  context: InteractionContext,
  kinds: readonly string[],
  transaction: Transaction | undefined,
  browser: Browser,
): Promise<Interaction> {
  const request = openPending(context, kinds, transaction ?? '', browser)
  if (request === undefined || browser.identity === undefined) {
    const client_id = requesterOf(context, transaction ?? '')
    const client = client_id === undefined ? undefined : await context.clients.find(client_id)
    throw signInExpired(client, browser.identity === undefined ? 'no cookie of a browser' : NOT_OPEN)
  }
  const { parameters } = request.pending
  const session = await findSession(context, browser, parameters.client_id)
  return { parameters, browser, browser_id: browser.identity.id, session, ...request }
}

/** Sends the browser to the step that is due. */
export function toNextStep({ transaction }: Interaction): Extract<InteractionReply, { to: 'next' }> {
  return { to: 'next', transaction }
}
