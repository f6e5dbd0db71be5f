import { type Kind, recordOf, write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import type { TrailPartName } from './parts.ts'

/** How far the webhook has come in a part of the trail. */
export interface WebhookPlace {
  /** The id of the last entry that was taken; empty: none was. */
  readonly after: string
  /** The id of the last entry of the message that was not taken: it is sent again as it was. Empty: it had none. */
  readonly upto: string
}

/** How far the webhook has come, for all servers. */
export interface WebhookCursor {
  readonly places: Readonly<Record<TrailPartName, WebhookPlace>>
  /** How often the message was sent that was not taken; 0: there is none. */
  readonly attempts: number
}

const NOWHERE: WebhookPlace = { after: '', upto: '' }
const START: WebhookCursor = { places: { changes: NOWHERE, repeated: NOWHERE }, attempts: 0 }
const ENTRY_ID = /^(\d{1,16}-\d{1,16})?$/
const ID = 'cursor'
// Seconds. It is written again by each message.
const TTL = 90 * 86_400

const WEBHOOK: Kind<WebhookCursor> = {
  name: 'audit-webhook',
  format: ({ places: { changes, repeated }, attempts }) => ({
    ...changes,
    after_repeated: repeated.after,
    upto_repeated: repeated.upto,
    attempts: String(attempts),
  }),
  parse({ after = '', upto = '', after_repeated = '', upto_repeated = '', attempts = '' }) {
    const times = Number(attempts)
    const ids = [after, upto, after_repeated, upto_repeated]
    const is_whole = ids.every((id) => ENTRY_ID.test(id)) && Number.isSafeInteger(times) && times >= 0
    const repeated = { after: after_repeated, upto: upto_repeated }
    return is_whole
      ? { ok: true, record: { places: { changes: { after, upto }, repeated }, attempts: times } }
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

/** Returns the cursor after a message: it was taken, or is sent again as it was. @param last of each part in it */
export function cursorAfter(
  { places, attempts }: WebhookCursor,
  last: Readonly<Partial<Record<TrailPartName, string>>>,
  is_taken: boolean,
): WebhookCursor {
  const placeAfter = (part: TrailPartName): WebhookPlace => {
    const { after } = places[part]
    return is_taken ? { after: last[part] ?? after, upto: '' } : { after, upto: last[part] ?? '' }
  }
  const [changes, repeated] = [placeAfter('changes'), placeAfter('repeated')]
  return { places: { changes, repeated }, attempts: is_taken ? 0 : attempts + 1 }
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
