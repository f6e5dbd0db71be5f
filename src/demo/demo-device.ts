import { DEVICE_CODE } from '../clients/record/grant-types.ts'
import { PATHS } from '../core/paths.ts'
import type { DeviceAuthorization } from '../device/device-authorization.ts'
import {
  type DemoAnswer,
  type DemoCaller,
  type DemoContext,
  type DemoTokens,
  refused,
  verifyIdToken,
} from './demo-app.ts'
import { DEMO_DEVICE } from './demo-clients.ts'

const { client_id } = DEMO_DEVICE
/** Asks for the codes of a device (RFC 8628 §3.1). Returns them, or why there are none. */
export async function startDemoDevice(caller: DemoCaller): Promise<DeviceAuthorization | DemoAnswer> {
  const answer = await caller.post(PATHS.device_authorization, { client_id })
  return answer.status === 200 ? (answer.json as DeviceAuthorization) : answer
}

/** Asks for the tokens once (RFC 8628 §3.4). Returns them, or why there are none. */
export async function checkDemoDevice(
  context: DemoContext,
  device_code: string,
  caller: DemoCaller,
): Promise<DemoTokens | DemoAnswer> {
  const answer = await caller.post(PATHS.token, { grant_type: DEVICE_CODE, client_id, device_code })
  if (answer.status !== 200) return answer
  const tokens = answer.json as DemoTokens
  const verified = verifyIdToken(context, tokens, client_id, ['sub'])
  return verified.ok ? tokens : refused(`The id_token is refused: ${verified.reason}.`)
}

/** Whether a device can ask again after this answer: the user has not answered yet, or the server is away. */
export function canAskAgain({ status, json }: DemoAnswer): boolean {
  return status >= 500 || ['authorization_pending', 'slow_down'].includes(errorIn(json))
}

/** Returns the codes for the next question after such an answer, with the time to wait for it (RFC 8628 §3.5). */
export function askLater(codes: DeviceAuthorization, { json }: DemoAnswer): DeviceAuthorization {
  return errorIn(json) === 'slow_down' ? { ...codes, interval: codes.interval + 5 } : codes
}

function errorIn(json: unknown): string {
  const { error = '' } = (json ?? {}) as { error?: string }
  return error
}
