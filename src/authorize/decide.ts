import type { Settings } from '../config.ts'
import { invalidRequest, loginRequired, type OAuthError } from '../errors.ts'
import { isSubject } from '../records/user.ts'
import type { AuthorizationRequest } from './request.ts'

/** What comes of a valid authorization request. */
export type Decision =
  | { kind: 'issue'; subject: string; auth_time: number }
  | { kind: 'error'; error: OAuthError }

/**
 * Decides by the request and the settings alone. `now` in milliseconds; a demo subject counts as signed in
 * at this moment.
 */
export function decide(
  request: AuthorizationRequest,
  settings: Pick<Settings, 'demo'>,
  now: number,
): Decision {
  const { subject, client } = request
  if (!settings.demo || subject === undefined)
    return { kind: 'error', error: loginRequired('No user is signed in.') }
  if (!isSubject(subject)) {
    return { kind: 'error', error: invalidRequest('subject must be 1 to 255 printable ASCII characters.') }
  }
  // RFC 9068 §5: a user must not be taken for the client itself.
  if (subject === client.client_id) {
    return { kind: 'error', error: invalidRequest('subject must differ from client_id.') }
  }
  return { kind: 'issue', subject, auth_time: Math.floor(now / 1000) }
}
