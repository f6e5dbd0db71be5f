import type { Context } from '../context.ts'
import { parseObject } from '../core/json.ts'
import type { Parameters } from '../core/parameters.ts'
import { isOpaqueToken, newGrantId, newToken } from '../core/token-string.ts'
import { type Browser, cookieDigest, newCookieValue, sameText } from '../sessions/browser.ts'
import type { PendingRecord } from './pending-record.ts'
import { readPending, savePending } from './pending-store.ts'

/** A pending request, and the parameters that it came with. */
export interface PendingRequest {
  readonly pending: PendingRecord
  readonly parameters: Parameters
}

/**
 * Puts a request by until its person goes on with it in the browser that it came from.
 * @returns how it is called from now on, and the value of the browser's cookie, which is new where it had none
 * @throws StorageUnavailable
 */
export async function putBy(
  { storage, settings }: Pick<Context, 'storage' | 'settings'>,
  request: Pick<PendingRecord, 'kind' | 'parameters' | 'client_id'>,
  browser: Browser | undefined,
): Promise<{ transaction: string; browser_id: string }> {
  const transaction = newToken(newGrantId())
  const browser_id = browser?.id ?? newCookieValue()
  const pending = { ...request, browser: cookieDigest(browser_id) }
  await savePending(storage, transaction, pending, settings.sign_in_ttl)
  return { transaction, browser_id }
}

/**
 * The pending request of this name, where it is this browser's; undefined where it is over, finished, another browser's
 * or malformed.
 * @throws StorageUnavailable
 */
export async function findPending(
  { storage }: Pick<Context, 'storage'>,
  kind: PendingRecord['kind'],
  transaction: string,
  browser: Browser,
): Promise<PendingRequest | undefined> {
  if (browser.id === undefined || !isOpaqueToken(transaction)) return undefined
  const pending = await readPending(storage, transaction)
  if (pending?.kind !== kind || !sameText(pending.browser, cookieDigest(browser.id))) return undefined
  const stored = parseObject(pending.parameters)
  // Without a prototype, as they were read.
  return stored && { pending, parameters: Object.assign(Object.create(null), stored) as Parameters }
}
