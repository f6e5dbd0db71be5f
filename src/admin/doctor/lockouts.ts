import { LOCKOUT_KINDS, readLockouts } from '../../limits/lockouts.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import type { Storage } from '../../storage/storage.ts'

const NAMES = { user: 'users', address: 'addresses', client: 'clients' } as const

/** Returns the finding about who is refused because of failures. @throws StorageUnavailable */
export async function lockoutFindings(storage: Pick<Storage, 'bounded'>): Promise<Finding[]> {
  const { ok, warning } = findingsOf('lockouts')
  const lockouts = await readLockouts(storage)
  if (lockouts.length === 0) return [ok('nobody is locked out')]
  const parts = LOCKOUT_KINDS.flatMap((kind) => {
    const number = lockouts.filter((lockout) => lockout.kind === kind).length
    return number === 0 ? [] : [`${NAMES[kind]}: ${number}`]
  })
  return [
    warning(
      `locked out now: ${parts.join(', ')}`,
      'redmint limits list says who and until when; redmint limits lift lets them in.',
    ),
  ]
}
