import { ASK_ANSWERED } from './ask.ts'
import { CONSENT_GIVEN } from './consent.ts'
import { DEVICE_ANSWERED } from './device.ts'
import { FAULT } from './faults/fault.ts'
import { LOG } from './log/log.ts'
import { MAILS } from './mails/mails.ts'
import { SIGN_IN } from './sign-in.ts'
import { CLOCK_ADVANCED, RESET } from './state.ts'
import { TOKEN } from './tokens/token.ts'

/** What tests do with a server for development: the paths at `/dev/` and the methods of `Redmint` are made from it. */
export const OPERATIONS = {
  token: TOKEN,
  sign_in: SIGN_IN,
  consent: CONSENT_GIVEN,
  device: DEVICE_ANSWERED,
  ask: ASK_ANSWERED,
  mails: MAILS,
  clock: CLOCK_ADVANCED,
  fault: FAULT,
  log: LOG,
  reset: RESET,
} as const
