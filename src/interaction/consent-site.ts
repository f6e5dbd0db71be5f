import type { Session } from '../sessions/session.ts'
import type { ConsentStep } from './consent-step.ts'
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
  | { readonly outcome: 'refused' }
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
}

/**
 * Returns the page of an application that asks for this consent; undefined: redmint asks, as it does where the code of a
 * device has to be typed.
 */
export function siteFor(
  { consent_site }: { readonly consent_site: ConsentSite | undefined },
  { device }: ConsentStep,
): ConsentSite | undefined {
  return device?.is_typed ? undefined : consent_site
}
