import type { Settings } from '../config/settings.ts'
import type { ClientId, Transaction } from '../core/ids.ts'
import { newFamilyId, newToken, parseToken } from '../core/token-string.ts'
import type { Sealer } from '../keys/sealer.ts'
import {
  type Browser,
  type BrowserIdentity,
  cookieDigest,
  newBrowserIdentity,
  sameText,
} from '../sessions/browser.ts'
import {
  formatPending,
  type PendingRecord,
  parsePending,
  type WaitingRequest,
  withoutProgress,
} from './pending-record.ts'

/**
 * How many bytes may be kept of a request, as JSON. With all that a user can add to it, its sealed
 * form then fits into a request line of 8 KiB, which proxies let pass.
 */
export const MAX_REQUEST_BYTES = 4096

/** What is kept of a request. */
type Kept = Pick<WaitingRequest, 'parameters' | 'default_scope'>

/** How many bytes are kept of a request. */
export function bytesKept({ parameters, default_scope = '' }: Kept): number {
  return Buffer.byteLength(JSON.stringify(parameters) + default_scope)
}

/** Whether a request is too long to wait for the user. */
export function isTooLong(request: Kept): boolean {
  return mostKept(request) > MAX_REQUEST_BYTES && bytesKept(request) > MAX_REQUEST_BYTES
}

/** As many bytes at most, without writing them: six for a character, as \u0000, and six beside each name and value. */
function mostKept({ parameters, default_scope = '' }: Kept): number {
  let characters = 1 + default_scope.length
  for (const name of Object.keys(parameters)) characters += name.length + 1 + (parameters[name]?.length ?? 0)
  return 6 * characters
}

/** A pending request, and its sealed form. */
export interface PendingRequest {
  readonly pending: PendingRecord
  readonly transaction: Transaction
}

/** What it takes to seal and open pending requests. */
export interface PendingContext {
  readonly settings: Pick<Settings, 'sign_in_ttl'>
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Seals a request that waits until the user continues it in the same browser. Nothing is stored.
 * @throws StorageUnavailable if no sealing key could be read yet
 */
export function startPending(
  context: PendingContext,
  request: WaitingRequest,
  browser: Browser,
): { transaction: Transaction; cookies: { browser: BrowserIdentity } } {
  const identity = browser.identity ?? newBrowserIdentity()
  const pending = {
    id: newToken(parseToken(request.pushed ?? '')?.family ?? newFamilyId()),
    ...request,
    browser: cookieDigest(identity.id),
    ends_at: context.now() + context.settings.sign_in_ttl * 1000,
  }
  return { transaction: sealPending(context, pending), cookies: { browser: identity } }
}

/** Seals a pending request as it is now. @throws StorageUnavailable, as startPending */
export function sealPending({ sealer }: Pick<PendingContext, 'sealer'>, pending: PendingRecord): Transaction {
  return sealer.seal('pending', formatPending(pending))
}

/** The client of a pending request, whether or not the request is over or belongs to another browser. */
export function requesterOf(
  { sealer }: Pick<PendingContext, 'sealer'>,
  transaction: Transaction,
): ClientId | undefined {
  const text = sealer.open('pending', transaction)
  return text === undefined ? undefined : parsePending(text)?.parameters.client_id
}

/**
 * Reads a pending request of whatever browser; undefined if it expired or was not sealed here. For what is no answer of the
 * browser itself.
 * @throws StorageUnavailable, as Sealer.open
 */
export function readPending(
  { sealer, now }: { readonly sealer: Pick<Sealer, 'open'>; readonly now: () => number },
  transaction: Transaction,
): PendingRecord | undefined {
  const text = sealer.open('pending', transaction)
  const pending = text === undefined ? undefined : parsePending(text)
  return pending === undefined || pending.ends_at <= now() ? undefined : pending
}

/**
 * Opens a pending request of this browser and of one of these kinds. Returns undefined if it expired, was not sealed
 * here, or belongs to another browser. One that belongs to the browser under its former id, from before a sign-in or
 * sign-out, starts again without progress: it is worth no more than a link to the same request.
 * @throws StorageUnavailable, as Sealer.open
 */
export function openPending(
  context: PendingContext,
  kinds: readonly string[],
  transaction: Transaction,
  { identity }: Browser,
): PendingRequest | undefined {
  const text = context.sealer.open('pending', transaction)
  const pending = text === undefined ? undefined : parsePending(text)
  if (pending === undefined || identity === undefined) return undefined
  if (!kinds.includes(pending.kind) || pending.ends_at <= context.now()) return undefined
  const browser = cookieDigest(identity.id)
  if (sameText(pending.browser, browser)) return { pending, transaction }
  if (identity.former === undefined || !sameText(pending.browser, identity.former)) return undefined
  const restarted = Object.assign(withoutProgress(pending), { browser })
  return { pending: restarted, transaction: sealPending(context, restarted) }
}
