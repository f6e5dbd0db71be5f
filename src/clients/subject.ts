import { createHash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { serverError } from '../core/errors.ts'
import type { Sub } from '../core/ids.ts'
import type { Client } from './client-record.ts'

/**
 * Returns the subject of a user for a client (OpenID Connect Core §8): the user's sub, or for a pairwise client a digest
 * that only the clients of its sector share.
 * @throws OAuthError `server_error` for a pairwise client if no salt is set
 */
export function subjectFor(
  client: Pick<Client, 'client_id' | 'subject_type' | 'sector_identifier'>,
  sub: Sub,
  { pairwise_salt }: Pick<Settings, 'pairwise_salt'>,
): string {
  if (client.subject_type === 'public') return sub
  if (pairwise_salt === undefined) {
    throw serverError(
      `The client ${client.client_id} has the subject_type pairwise: set PAIRWISE_SALT, and never change it.`,
    )
  }
  // §8.1. JSON makes the input unambiguous.
  const text = JSON.stringify([client.sector_identifier, sub, pairwise_salt])
  return createHash('sha256').update(text).digest('base64url')
}
