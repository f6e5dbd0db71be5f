import { givesChange, isAdminScope } from '../core/admin-scopes.ts'
import { scopeNames } from '../core/scope.ts'
import type { Session } from '../sessions/session.ts'
import { type AdminRightsContext, scopeOfUser } from '../users/admin-rights.ts'
import type { LoginStep } from './interaction.ts'
import type { PendingProgress } from './pending-record.ts'

/**
 * Says whether somebody showed just now who it is. The rule is that of the account page
 * (src/factors/confirmation.ts).
 */
export interface RecentProof {
  /**
   * Returns how the person has to sign in once more: there was no sign-in within ten minutes, none by the strongest way
   * of the account, or the account changed since, its rights included. Undefined: nothing is missing.
   * @param is_new whether the session started for the request that asks
   * @throws StorageUnavailable
   */
  missing(session: Session, is_new: boolean): Promise<LoginStep | undefined>
}

/** What it takes to ask for a proof. */
export type RecentProofContext = AdminRightsContext & { readonly recent_proof: RecentProof }

/** What the user of a session may have of a scope, and what has to come first. */
interface Allowed {
  /** The scope without what the user may not do by the admin API. */
  readonly scope: string
  /** Absent: nothing. */
  readonly step?: LoginStep
}

/**
 * Finds out what the user of a session may have of a scope. A right to change what is of others takes a recent sign-in, by
 * whatever grant and client: a session alone, or its cookie, gives none.
 * @throws StorageUnavailable
 */
export function allowedOf(
  context: RecentProofContext,
  scope: string,
  session: Session,
  pending?: Pick<PendingProgress, 'signed_in'>,
): Promise<Allowed> | Allowed {
  return scopeNames(scope).some(isAdminScope) ? allowedRights(context, scope, session, pending) : { scope }
}

async function allowedRights(
  context: RecentProofContext,
  scope: string,
  session: Session,
  pending: Pick<PendingProgress, 'signed_in'> | undefined,
): Promise<Allowed> {
  const own = await scopeOfUser(context, scope, session.username)
  if (!givesChange(scopeNames(own))) return { scope: own }
  const step = await context.recent_proof.missing(session, pending?.signed_in === session.sid)
  return { scope: own, ...(step && { step }) }
}
