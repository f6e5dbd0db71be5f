import type { Settings } from '../config/settings.ts'
import type { TransactionId } from '../core/ids.ts'
import { parseObject } from '../core/json.ts'
import type { Parameters } from '../core/parameters.ts'
import { isOpaqueToken, newFamilyId, newToken } from '../core/token-string.ts'
import { type Browser, cookieDigest, newCookieValue, sameText } from '../sessions/browser.ts'
import type { RecordStore } from '../storage/storage.ts'
import type { PendingRecord } from './pending-record.ts'
import { readPending, savePending } from './pending-store.ts'

/** A pending request, with its parameters parsed. */
export interface PendingRequest {
  readonly pending: PendingRecord
  readonly parameters: Parameters
}

/** What it takes to store a pending request. */
export interface PendingContext {
  readonly settings: Pick<Settings, 'sign_in_ttl'>
  readonly storage: RecordStore
}

/**
 * Stores a request until the user continues it in the same browser.
 * @returns the name of the pending request, and the value of the browser's cookie, which is new if it had none
 * @throws StorageUnavailable
 */
export async function savePendingRequest(
  { storage, settings }: PendingContext,
  request: Pick<PendingRecord, 'kind' | 'parameters' | 'client_id'>,
  browser: Browser | undefined,
): Promise<{ transaction: TransactionId; browser_id: string }> {
  const transaction = newToken(newFamilyId())
  const browser_id = browser?.id ?? newCookieValue()
  const pending = { ...request, browser: cookieDigest(browser_id) }
  await savePending(storage, transaction, pending, settings.sign_in_ttl)
  return { transaction, browser_id }
}

/**
 * Finds a pending request of this browser and of one of these kinds. Returns undefined if it expired, is finished or malformed, or belongs to
 * another browser.
 * @throws StorageUnavailable
 */
export async function findPendingRequest(
  storage: RecordStore,
  kinds: readonly string[],
  transaction: TransactionId,
  browser: Browser,
): Promise<PendingRequest | undefined> {
  if (browser.id === undefined || !isOpaqueToken(transaction)) return undefined
  const pending = await readPending(storage, transaction)
  if (pending === undefined || !kinds.includes(pending.kind)) return undefined
  if (!sameText(pending.browser, cookieDigest(browser.id))) return undefined
  const stored = parseObject(pending.parameters)
  // Without a prototype, as the parameters of every request.
  return stored && { pending, parameters: Object.assign(Object.create(null), stored) as Parameters }
}
