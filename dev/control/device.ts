import { Type } from '@sinclair/typebox'
import { DEVICES } from '../../src/device/device-flow.ts'
import { readUserCode } from '../../src/device/user-code.ts'
import { recordOf } from '../../src/storage/records.ts'
import { DEVICE, USER_CODE } from '../../src/tokens/device-record.ts'
import type { DevParts } from '../parts.ts'
import { ControlError } from './control-error.ts'
import { devOperation } from './operation.ts'
import { ANSWERS, answerWaiting, type WaitingAnswer } from './waiting.ts'

/** Answers a device, as a person does who enters its user code (RFC 8628 §3.3). */
export const DEVICE_ANSWERED = devOperation({
  summary: 'Answers a device for a person, by the user code that it shows',
  method: 'POST',
  path: '/devices',
  call: "device(user_code, 'allow' | 'deny', user)",
  input: Type.Object(
    {
      user_code: Type.String({ description: 'as the device shows it' }),
      answer: Type.Unsafe<WaitingAnswer>(Type.String({ enum: [...ANSWERS] })),
      user: Type.String({ description: 'username' }),
    },
    { additionalProperties: false },
  ),
  async run(parts, { user_code, ...answering }) {
    const { storage, settings } = parts.fastify.redmint
    const id = await waitingDevice(parts, user_code)
    const code = recordOf(await storage.records.read(DEVICE, id))
    if (code === undefined) throw unknownCode(user_code)
    const waiting = { of: DEVICES, id, code, lifetime: settings.device_code_ttl }
    return answerWaiting(parts, `The device of ${user_code}`, waiting, answering)
  },
})

/** Returns the id of the record of the device that shows a user code. @throws ControlError; StorageUnavailable */
async function waitingDevice({ fastify }: DevParts, user_code: string): Promise<string> {
  const code = readUserCode(user_code)
  const found =
    code === undefined ? undefined : recordOf(await fastify.redmint.storage.records.read(USER_CODE, code))
  if (found === undefined) throw unknownCode(user_code)
  return found.device
}

const unknownCode = (user_code: string) =>
  new ControlError(
    `No device waits with the user code ${user_code}: it is that of the answer of the device authorization endpoint, and ends after a while.`,
    404,
  )
