import { hash } from 'node:crypto'
import type { User } from '../accounts/user-record.ts'
import type { Factors } from './factors-record.ts'

/**
 * Returns a digest of an account that differs after each change of its user, password, e-mail address, state, rights, factors or links to others, so
 * that what was bound to the account before ends.
 */
export function accountState(
  user: Pick<User, 'sub' | 'password_hash' | 'disabled' | 'claims' | 'linked_subjects' | 'admin'>,
  { generation }: Pick<Factors, 'generation'>,
): string {
  const { sub, password_hash = '', disabled, claims, linked_subjects = [], admin = [] } = user
  const { email = '', email_verified = '' } = claims
  const rights = admin.toSorted().join(' ')
  const state = [sub, password_hash, email, email_verified, disabled, rights, generation, ...linked_subjects]
  return hash('sha256', JSON.stringify(state), 'base64url')
}
