import { DEVICE_CODE } from '../clients/record/grant-types.ts'
import {
  authorizationPending,
  deviceDenied,
  expiredToken,
  invalidGrant,
  slowDown,
} from '../core/grant-errors.ts'
import { waitingGrant } from './waiting-grant.ts'

const UNUSABLE = 'The device code is unknown or already used.'

/** The device_code grant (RFC 8628 §3.4): a device asks until its user has answered. */
export const deviceCode = waitingGrant({
  grant_type: DEVICE_CODE,
  parameter: 'device_code',
  description: 'the device code',
  presents: 'device_code',
  kind: undefined,
  malformed: () =>
    invalidGrant('device_code_malformed', 'This is not a device code.', { cause: 'not a code string' }),
  // RFC 8628 §3.5.
  refusal(outcome, client_id, { device_interval, device_code_ttl }) {
    switch (outcome) {
      case 'pending':
        return authorizationPending('device_code_pending', device_interval)
      case 'slow_down':
        return slowDown('device_code_slow_down', device_interval)
      case 'denied':
        return deviceDenied()
      // Storage keeps nothing of a code that has expired.
      case 'missing':
        return expiredToken(device_code_ttl)
      case 'replayed':
        return invalidGrant('device_code_spent', UNUSABLE, {
          cause: 'replayed',
          event: { event: 'code_replayed', client_id },
        })
      case 'mismatch':
        // The response must not reveal that the code exists.
        return invalidGrant('device_code_of_other_client', UNUSABLE, { cause: 'issued to another client' })
    }
  },
})
