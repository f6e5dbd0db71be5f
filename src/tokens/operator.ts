import type { Settings } from '../config/settings.ts'
import { ACT_AS, hasScope } from '../core/admin-scopes.ts'
import type { Sub } from '../core/ids.ts'
import type { User } from '../users/user-record.ts'
import type { GrantFacts } from './code-record.ts'
import { beganBefore } from './token-account.ts'

/** What it takes to look at those behind a token with which an operator acts. */
interface OperatorContext {
  readonly accounts: { find(username: string): Promise<User | undefined> }
  readonly settings: Pick<Settings, 'demo'>
}

/** Of a grant with which an operator acts as a person. */
export type OperatedGrant = Pick<GrantFacts, 'username' | 'acted_by' | 'operator' | 'started_at'>

/**
 * Whether an operator may act as a person, now: it is nobody with rights at the admin API, however few, and the operator,
 * still the same one, has the right to it, and has not been signed out everywhere since.
 * @param sub that of the operator
 * @throws StorageUnavailable
 */
export async function mayActAs(
  { accounts, settings }: OperatorContext,
  { username = '', acted_by, operator = '', started_at }: OperatedGrant,
  sub: Sub | undefined,
): Promise<boolean> {
  // A record that somebody changed by hand: without it the token would pass for one of the person alone.
  if (sub === undefined) return false
  const [person, acting] = await Promise.all([
    accounts.find(username),
    acted_by === 'command' ? undefined : accounts.find(operator),
  ])
  if (person === undefined || (person.admin ?? []).length > 0) return false
  if (acted_by === 'command') return true
  if (acting === undefined || acting.sub !== sub || !hasScope(rightsOf(acting, settings), ACT_AS))
    return false
  const { grants_end_before, sessions_end_before } = acting
  return !beganBefore(started_at, grants_end_before) && !beganBefore(started_at, sessions_end_before)
}

// The password of a user that demo mode wrote is public.
const rightsOf = ({ demo, admin = [] }: User, settings: Pick<Settings, 'demo'>): ReadonlySet<string> =>
  new Set(demo && settings.demo !== true ? [] : admin)
