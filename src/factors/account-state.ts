import { hash } from 'node:crypto'
import type { User } from '../accounts/user-record.ts'
import type { Factors } from './factors-record.ts'

/**
 * Returns a digest of an account that differs after each change of its user, password, e-mail address, state or factors, so
 * that what was bound to the account before ends.
 */
export function accountState(
  { sub, password_hash = '', disabled, claims }: Pick<User, 'sub' | 'password_hash' | 'disabled' | 'claims'>,
  { generation }: Pick<Factors, 'generation'>,
): string {
  const { email = '', email_verified = '' } = claims
  const state = [sub, password_hash, email, email_verified, disabled, generation]
  return hash('sha256', JSON.stringify(state), 'base64url')
}
