import { createHmac, hash } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { invalidRequest, type OAuthError, serverError } from '../core/errors.ts'
import type { Sid, Sub } from '../core/ids.ts'
import type { Client } from './record/client-record.ts'

type SubjectClient = Pick<Client, 'client_id' | 'subject_type' | 'sector_identifier'>

/**
 * Returns the subject of a user for a client (OpenID Connect Core §8): the user's sub, or for a pairwise client a digest
 * that only the clients of its sector share.
 * @throws OAuthError `server_error` for a pairwise client if no salt is set
 */
export function subjectFor(
  client: SubjectClient,
  sub: Sub,
  settings: Pick<Settings, 'pairwise_salt'>,
): string {
  if (client.subject_type === 'public') return sub
  // §8.1. JSON makes the input unambiguous.
  const text = JSON.stringify([client.sector_identifier, sub, saltFor(client, settings)])
  return hash('sha256', text, 'base64url')
}

/**
 * Returns the sid of a session for a client: the session's own, or for a pairwise client a keyed digest that only the
 * clients of its sector share. Otherwise the sid would tell two of them that they have the same user.
 * @throws as subjectFor
 */
export function sidFor(client: SubjectClient, sid: Sid, settings: Pick<Settings, 'pairwise_salt'>): Sid {
  if (client.subject_type === 'public') return sid
  const text = JSON.stringify(['sid', client.sector_identifier, sid])
  return createHmac('sha256', saltFor(client, settings)).update(text).digest('base64url')
}

/** Why a user cannot have tokens of a client: RFC 9068 §5, a user must not be mistaken for the client itself. */
export function clashWithClient(
  subject: string,
  { client_id }: Pick<Client, 'client_id'>,
): OAuthError | undefined {
  return subject === client_id
    ? invalidRequest('subject_is_client', 'subject must differ from client_id.', {
        received: { subject: client_id },
      })
    : undefined
}

function saltFor({ client_id }: SubjectClient, { pairwise_salt }: Pick<Settings, 'pairwise_salt'>): string {
  if (pairwise_salt !== undefined) return pairwise_salt
  throw serverError(
    `The client ${client_id} has the subject_type pairwise: set PAIRWISE_SALT, and never change it.`,
  )
}
