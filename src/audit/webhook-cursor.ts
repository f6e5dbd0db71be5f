import { type Kind, recordOf, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'

/** How far the webhook has come, for all servers. */
export interface WebhookCursor {
  /** The id of the last entry that was taken; empty: none was. */
  readonly after: string
  /** The id of the last entry of the message that was not taken: it is sent again as it was. Empty: there is none. */
  readonly upto: string
  /** How often that message was sent. */
  readonly attempts: number
}

const START: WebhookCursor = { after: '', upto: '', attempts: 0 }
const ENTRY_ID = /^(\d{1,16}-\d{1,16})?$/
const ID = 'cursor'
// Seconds. It is written again by each message.
const TTL = 90 * 86_400

const WEBHOOK: Kind<WebhookCursor> = {
  name: 'audit-webhook',
  format: ({ after, upto, attempts }) => ({ after, upto, attempts: String(attempts) }),
  parse({ after = '', upto = '', attempts = '' }) {
    const times = Number(attempts)
    const is_whole = ENTRY_ID.test(after) && ENTRY_ID.test(upto) && Number.isSafeInteger(times) && times >= 0
    return is_whole
      ? { ok: true, record: { after, upto, attempts: times } }
      : { ok: false, problems: [{ field: 'after', problem: 'is no id of an entry' }] }
  },
}

/** Returns how far the webhook has come: nowhere, if there is no record. @throws StorageUnavailable */
export async function readCursor({ records }: Pick<Storage, 'records'>): Promise<WebhookCursor> {
  return recordOf(await records.read(WEBHOOK, ID)) ?? START
}

/** @throws StorageUnavailable */
export function writeCursor({ records }: Pick<Storage, 'records'>, cursor: WebhookCursor): Promise<void> {
  return records.put(write(WEBHOOK, ID, cursor, TTL))
}

/** Whether an id of storage is after another one; all are after an empty one. */
export function isAfter(id: string, other: string): boolean {
  const [[ms, number], [other_ms, other_number]] = [partsOf(id), partsOf(other)]
  return ms > other_ms || (ms === other_ms && number > other_number)
}

function partsOf(id: string): [ms: number, number: number] {
  const [ms = '', number = ''] = id.split('-')
  return id === '' ? [-1, -1] : [Number(ms), Number(number)]
}
