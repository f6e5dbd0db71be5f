import { FieldReader } from '../core/record-hash.ts'
import type { Kind } from '../storage/records.ts'
import { type WaitingCode, waitingKind } from './waiting-code.ts'

/** A device that asks for tokens (RFC 8628 §3.1). */
export interface DeviceRecord extends WaitingCode {
  /** What the device shows to its user, without the dash. */
  readonly user_code: string
}

/** Device codes. */
export const DEVICE: Kind<DeviceRecord> = waitingKind({ required: ['user_code'], optional: [] })

/** The user codes of devices that may still be answered. */
export const USER_CODE: Kind<{ readonly device: string }> = {
  name: 'user-code',
  format: ({ device }) => ({ device }),
  parse(hash) {
    const fields = new FieldReader(hash)
    const device = fields.required('device')
    return fields.problems.length > 0
      ? { ok: false, problems: fields.problems }
      : { ok: true, record: { device } }
  },
}
