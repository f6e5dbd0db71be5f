import { createHash } from 'node:crypto'
import type { User } from '../accounts/user-record.ts'
import type { Factors } from './factors-record.ts'

/** The digest of what evidence for an account depends on: each change of it ends the evidence that was given before. */
export function accountState(user: User, factors: Pick<Factors, 'generation'>): string {
  const { sub, password_hash, disabled } = user
  const { email, email_verified } = user.claims
  const parts = [sub, password_hash, disabled, email, email_verified, factors.generation]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url')
}
