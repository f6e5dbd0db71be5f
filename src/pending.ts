import { type Browser, cookieDigest, sameText } from './browser.ts'
import type { Context } from './context.ts'
import { isOpaqueToken } from './ids.ts'
import { parseObject } from './json.ts'
import type { Parameters } from './parameters.ts'
import type { PendingRecord } from './records/pending.ts'

/** A pending request, and the parameters that it came with. */
export interface PendingRequest {
  readonly pending: PendingRecord
  readonly parameters: Parameters
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
  const pending = await storage.readPending(transaction)
  if (pending?.kind !== kind || !sameText(pending.browser, cookieDigest(browser.id))) return undefined
  const stored = parseObject(pending.parameters)
  // Without a prototype, as they were read.
  return stored && { pending, parameters: Object.assign(Object.create(null), stored) as Parameters }
}
