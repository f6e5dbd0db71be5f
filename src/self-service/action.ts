import type { Settings } from '../config/settings.ts'
import type { LastOutcomes } from '../core/last-outcomes.ts'
import type { Parameters } from '../core/parameters.ts'
import type { OnRefusal } from '../core/refusal.ts'
import type { AccountNow } from '../factors/account-now.ts'
import type { ConfirmedFor } from '../factors/confirmation.ts'
import type { Languages } from '../pages/languages.ts'
import type { View } from '../pages/layout.ts'
import type { RelyingParties } from '../providers/parties.ts'
import type { Session } from '../sessions/session.ts'
import type { Asker } from '../users/fair-queue.ts'
import type { AddressContext } from './change-address.ts'
import type { ChangePasswordContext } from './change-password.ts'
import type { PasskeyPageOwner } from './own-passkeys.ts'
import type { DoneName } from './pages/account-form.ts'

/** What the actions work with. */
export type ActionContext = ChangePasswordContext & {
  /** Queues a mail: only where there is mail, a page asks for one. */
  readonly send: AddressContext['send']
  readonly outcomes: LastOutcomes
  readonly languages: Pick<Languages, 'of'>
  /** Tells that what a person wanted was refused. */
  readonly refused: OnRefusal
  /** What asks providers; absent: nobody signs in by one. */
  readonly parties?: RelyingParties
}

/** Who does something at the account page. */
export interface PageActor extends PasskeyPageOwner {
  readonly session: Session
  /** Who waits if passwords have to be hashed. */
  readonly asker: Asker
  /** The language of the pages. */
  readonly language: string
}

/** What comes of it: the account page, which says so, or a page. */
export type ActionOutcome =
  /** `language`: the tag of the one that the browser gets. */
  | { readonly done: DoneName; readonly language?: string }
  /** Another site, which sends the browser back. */
  | { readonly leave: string }
  | { readonly render: (view: View) => string; readonly ends_session?: true }

/** Who does something after "Confirm it is you". */
export interface ConfirmedActor extends PageActor {
  /** The account by which that was judged: what is done is done only while it is so. */
  readonly account: AccountNow
}

/** The pages of the account: paths below the first one. */
export type PagePath =
  | ''
  | '/data'
  | '/data/page'
  | '/profile'
  | '/passkeys'
  | '/password'
  | '/providers'
  | '/address'
  | '/second-step'
  | '/notices'
  | '/delete'

/** Something that a person does at the account page, by a form that is posted to its name. */
export type AccountAction = {
  /** The page of the form, which comes again after "Confirm it is you". */
  readonly page: PagePath
  /** Absent: where its page is on. */
  isOn?(settings: Settings): boolean
} & (
  | {
      /** It changes a way in, or removes the account: the person has to confirm who it is, for this. */
      readonly confirmed: ConfirmedFor
      run(context: ActionContext, actor: ConfirmedActor, form: Parameters): Promise<ActionOutcome>
    }
  | {
      /**
       * Signing out and taking access back need no more than the session, so that somebody who is worried can do it at
       * once: they give nobody anything. Nor does a name.
       */
      readonly confirmed: false
      run(context: ActionContext, actor: PageActor, form: Parameters): Promise<ActionOutcome>
    }
)
