import type { Destination } from '../pages/destination.ts'
import type { Session } from '../sessions/session.ts'
import type { ConsentStep } from './consent-step.ts'
import type { PendingRecord } from './pending-record.ts'
import type { PendingRequest } from './pending-request.ts'
import type { Submission } from './submission.ts'

/** A browser leaves for the page of an application: what is kept of the visit, and the address for a state. */
export interface SiteVisit {
  readonly challenge: string
  location(state: string): string
}

/** What came back from there. `over`: it proves nothing, or not any more. */
export type SiteAnswer =
  | {
      readonly outcome: 'allowed'
      readonly left_out: ReadonlySet<string>
      readonly remembers: boolean
      /** When that was judged, in milliseconds since 1970; absent: just now. */
      readonly agreed_at?: number
    }
  /** `never_again`: the person does not want to be asked by the client any more. */
  | { readonly outcome: 'refused'; readonly never_again?: true }
  | { readonly outcome: 'over'; readonly code: string }

/** The page of an application at which people consent, in place of that of redmint. */
export interface ConsentSite {
  /** The name of its rounds, which no sign-in method has. */
  readonly name: string
  /** Returns undefined if the account is gone. @throws StorageUnavailable */
  leave(session: Session): Promise<SiteVisit | undefined>
  /** Takes an answer, which counts once. @throws StorageUnavailable */
  comeBack(
    interaction: Pick<PendingRequest, 'pending'>,
    session: Session,
    step: ConsentStep,
    answer: Submission['parameters'],
  ): Promise<SiteAnswer>
  /**
   * Returns what a challenge asks; undefined: it is none, or it is over, because time passed, or the person signed out,
   * or the account, the client or what it may have changed.
   * @throws StorageUnavailable
   */
  find(challenge: string): Promise<AskedThere | undefined>
}

/** What a person is asked at the page of an application, and what its backend does with it. */
export interface AskedThere {
  readonly pending: PendingRecord
  readonly session: Session
  readonly step: ConsentStep
  readonly destination: Destination | undefined
  /** Whether it was answered. @throws StorageUnavailable */
  isAnswered(): Promise<boolean>
  /** Takes the word of the application that the person agrees: the first answer counts. @throws StorageUnavailable */
  accept(agreement: Agreement): Promise<Redirect>
  /** Takes its word that the person refuses. @throws StorageUnavailable */
  refuse(): Promise<Redirect>
}

/** What the application says for the person. */
export interface Agreement {
  /** The names of the step that are left out. */
  readonly left_out: ReadonlySet<string>
  /** Whether the same is asked again. */
  readonly remembers: boolean
}

type Redirect = { readonly redirect_to: string } | { readonly problem: 'answered' }

/**
 * Returns the page of an application that asks for this consent; undefined: redmint asks, as it does where the code of a
 * device has to be typed, for what a client asks from elsewhere, and for details, whose sentences it shows.
 */
export function siteFor(
  { consent_site }: { readonly consent_site: ConsentSite | undefined },
  { device, ask, details }: ConsentStep,
): ConsentSite | undefined {
  return device?.is_typed || ask !== undefined || details.length > 0 ? undefined : consent_site
}
