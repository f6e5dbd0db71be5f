import type { Client } from '../clients/record/client-record.ts'
import { subjectFor } from '../clients/subject.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import type { Sub } from '../core/ids.ts'
import { SIGNALS_SCOPE } from '../core/security-events.ts'

/** Whether a client may have a stream. */
export function isReceiver({
  allowed_scopes,
  disabled,
}: Pick<Client, 'allowed_scopes' | 'disabled'>): boolean {
  return !disabled && allowed_scopes.includes(SIGNALS_SCOPE.manage)
}

/** Returns the sub by which a receiver knows somebody; undefined: it knows nobody, for lack of a salt. */
export function subjectAt(
  client: Parameters<typeof subjectFor>[0],
  sub: Sub,
  settings: Pick<Settings, 'pairwise_salt'>,
): string | undefined {
  try {
    return subjectFor(client, sub, settings)
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}
