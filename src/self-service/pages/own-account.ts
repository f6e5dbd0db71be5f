import type { MutedClient, OwnAsk } from '../../asks/own-asks.ts'
import type { AccountField } from '../../config/account-fields.ts'
import type { ScopeClaims } from '../../config/scope-claims.ts'
import type { ScopeTexts } from '../../config/scope-texts.ts'
import type { Factors } from '../../factors/factors-record.ts'
import type { ListedSession } from '../../sessions/listed-sessions.ts'
import type { User } from '../../users/user-record.ts'
import type { ActingApplication } from '../own-acting.ts'
import type { OwnApplication } from '../own-applications.ts'
import type { OwnSupport } from '../own-support.ts'
import type { AccountLinks } from './account-form.ts'
import type { ShownActivity } from './activity.ts'
import type { OwnProvider } from './providers.ts'

/** A session, and the names of the applications that were signed in to with it. */
export interface ShownSession extends ListedSession {
  readonly applications: readonly string[]
}

/** What the account page shows. */
export interface OverviewProps extends AccountLinks {
  readonly user: User
  readonly groups: readonly string[]
  /** What of the profile the person may change. */
  readonly changeable: readonly AccountField[]
  readonly factors: Factors
  readonly own_sid: string
  readonly sessions: readonly ShownSession[]
  /** The addresses of the next parts; undefined: there is none. */
  readonly older_sessions?: string | undefined
  readonly older_applications?: string | undefined
  /** Where the sessions that are shown begin; undefined: at the beginning. */
  readonly sessions_place?: string | undefined
  readonly applications: readonly OwnApplication[]
  /** Who acts for the person by a token of one of these applications. */
  readonly acting: readonly ActingApplication[]
  /** Where an operator acts as the person. */
  readonly support: readonly OwnSupport[]
  /** What applications ask the person. */
  readonly asks: readonly OwnAsk[]
  /** The applications that may not ask the person any more. */
  readonly muted: readonly MutedClient[]
  readonly activities: readonly ShownActivity[]
  readonly scope_texts: ScopeTexts
  readonly scope_claims: ScopeClaims
  /** What was done just now. */
  readonly done?: string | undefined
  /** Whether addresses can be confirmed. */
  readonly has_mail: boolean
  /** The address that waits for its link to be used. */
  readonly pending?: string | undefined
  /** Whether browsers can tell that somebody asks. */
  readonly has_notices: boolean
  readonly has_second_step: boolean
  readonly has_passkeys: boolean
  /** Whether there is no other way to sign in. */
  readonly has_only_passkeys: boolean
  /** Whether passwords are of use here. */
  readonly has_passwords: boolean
  /** The providers by which people sign in. */
  readonly providers: readonly OwnProvider[]
  readonly can_delete: boolean
  /** Where the password is changed. */
  readonly change_password: string
  /** Milliseconds since 1970. */
  readonly now: number
}
