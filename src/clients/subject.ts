import { createHash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { serverError } from '../core/errors.ts'
import type { Client } from './client-record.ts'

/**
 * What a client knows a user by (OpenID Connect Core §8): the user's sub, or one that only the clients of one sector
 * have, so that clients cannot compare their users.
 * @throws OAuthError `server_error` for a pairwise subject where no salt is set.
 */
export function subjectFor(
  client: Pick<Client, 'client_id' | 'subject_type' | 'sector_identifier'>,
  sub: string,
  { pairwise_salt }: Pick<Settings, 'pairwise_salt'>,
): string {
  if (client.subject_type === 'public') return sub
  if (pairwise_salt === undefined) {
    throw serverError(
      `The client ${client.client_id} has the subject_type pairwise: set PAIRWISE_SALT, and never change it.`,
    )
  }
  // §8.1. JSON keeps the three apart whatever characters they have.
  const text = JSON.stringify([client.sector_identifier, sub, pairwise_salt])
  return createHash('sha256').update(text).digest('base64url')
}
