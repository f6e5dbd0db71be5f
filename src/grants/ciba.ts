import { CIBA } from '../clients/record/grant-types.ts'
import { askDenied, askExpired } from '../core/ask-errors.ts'
import { authorizationPending, invalidGrant, slowDown } from '../core/grant-errors.ts'
import { ASKED_KIND } from '../tokens/asked-record.ts'
import { waitingGrant } from './waiting-grant.ts'

const UNUSABLE = 'The auth_req_id is unknown or already used.'

/** The grant of what a client asks a person who is not there (OpenID Connect CIBA Core §10.1). */
export const ciba = waitingGrant({
  grant_type: CIBA,
  parameter: 'auth_req_id',
  description: 'what names the question to a person (CIBA)',
  presents: 'auth_req_id',
  kind: ASKED_KIND,
  isEnabled: ({ ask_people }) => ask_people === 'on',
  malformed: () =>
    invalidGrant('ask_id_malformed', 'This is not an auth_req_id.', { cause: 'not a code string' }),
  // CIBA §11.
  refusal(outcome, client_id, { device_interval, ask_ttl }) {
    switch (outcome) {
      case 'pending':
        return authorizationPending('ask_pending', device_interval)
      case 'slow_down':
        return slowDown('ask_slow_down', device_interval)
      case 'denied':
        return askDenied()
      case 'missing':
        return askExpired(ask_ttl)
      case 'replayed':
        return invalidGrant('ask_spent', UNUSABLE, {
          cause: 'replayed',
          event: { event: 'code_replayed', client_id },
        })
      case 'mismatch':
        return invalidGrant('ask_of_other_client', UNUSABLE, {
          cause: 'of another client, or no auth_req_id',
        })
    }
  },
})
