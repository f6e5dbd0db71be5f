import { Type } from '@sinclair/typebox'
import { subjectFor } from '../../src/clients/subject.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { newId } from '../../src/core/token-string.ts'
import { noteAllowed, noteDenied } from '../../src/device/answer-waiting.ts'
import { DEVICES } from '../../src/device/device-flow.ts'
import { readUserCode } from '../../src/device/user-code.ts'
import { findSession } from '../../src/sessions/session.ts'
import { recordOf } from '../../src/storage/records.ts'
import { DEVICE, USER_CODE } from '../../src/tokens/device-record.ts'
import type { DevParts } from '../parts.ts'
import { ControlError } from './control-error.ts'
import { clientNamed, userNamed } from './named.ts'
import { devOperation } from './operation.ts'
import { startSessionOf } from './sign-in.ts'

const ANSWERS = ['allow', 'deny'] as const
export type DeviceAnswer = (typeof ANSWERS)[number]

/** Answers a device, as a person does who enters its user code (RFC 8628 §3.3). */
export const DEVICE_ANSWERED = devOperation({
  summary: 'Answers a device for a person, by the user code that it shows',
  method: 'POST',
  path: '/devices',
  call: "device(user_code, 'allow' | 'deny', user)",
  input: Type.Object(
    {
      user_code: Type.String({ description: 'as the device shows it' }),
      answer: Type.Unsafe<DeviceAnswer>(Type.String({ enum: [...ANSWERS] })),
      user: Type.String({ description: 'username' }),
    },
    { additionalProperties: false },
  ),
  async run(parts, { user_code, answer, user: username }) {
    const context = parts.fastify.redmint
    const id = await waitingDevice(parts, user_code)
    const device = recordOf(await context.storage.records.read(DEVICE, id))
    if (device === undefined) throw unknownCode(user_code)
    if (device.status !== 'pending')
      throw new ControlError(`The device of ${user_code} has its answer already.`, 409)
    const [client, user] = await Promise.all([
      clientNamed(parts, device.client_id),
      userNamed(parts, username),
    ])
    const cookie = await startSessionOf(parts, user)
    const session = await findSession(context, { session: cookie }, client.client_id)
    if (session === undefined) throw new ControlError(`The session of ${username} ended at once.`, 409)
    const lifetime = context.settings.device_code_ttl
    const asked = { of: DEVICES, session, id, code: device, client, lifetime }
    const by = newId()
    const subject = subjectFor(client, user.sub, context.settings)
    const names = scopeNames(device.scope).filter((name) => client.allowed_scopes.includes(name))
    const stored =
      answer === 'deny'
        ? await noteDenied(context, asked, by)
        : await noteAllowed(context, asked, { subject, names, agreed_at: undefined }, by)
    if (typeof stored !== 'object' || stored.answered_by !== by)
      throw new ControlError(`The device of ${user_code} was answered by somebody else just now.`, 409)
    return { client: client.client_id, scope: answer === 'allow' ? names.join(' ') : '' }
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
