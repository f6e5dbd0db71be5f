import { hash } from 'node:crypto'
import type { User } from '../users/user-record.ts'
import type { Factors } from './factors-record.ts'

/**
 * Returns a digest of an account that differs after each change of its user, password, e-mail address, state, rights,
 * groups, factors or links to others, so that what was bound to the account before ends. What there is now is in it,
 * because a change by hand counts no generation up; and the generations, because a change there and back again is two.
 */
export function accountState(
  user: Pick<
    User,
    | 'sub'
    | 'password_hash'
    | 'disabled'
    | 'claims'
    | 'custom_claims'
    | 'lapsed'
    | 'linked_subjects'
    | 'admin'
    | 'generation'
  >,
  { generation }: Pick<Factors, 'generation'>,
): string {
  const { sub, password_hash = '', disabled, claims, linked_subjects = [], admin = [] } = user
  // Groups that ended are still in the record: their end is no change.
  const custom_claims = Object.entries({ ...user.custom_claims, ...user.lapsed?.claims }).sort()
  const { email = '', email_verified = '' } = claims
  const state = [
    sub,
    password_hash,
    email,
    email_verified,
    disabled,
    user.generation,
    generation,
    admin,
    custom_claims,
    ...linked_subjects,
  ]
  return hash('sha256', JSON.stringify(state), 'base64url')
}
