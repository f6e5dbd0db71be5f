import { StorageUnavailable } from '../errors.ts'

/** Nobody heard what became of a command: it may have run, it may run yet. */
export class OutcomeUnknown extends StorageUnavailable {}

// An error reply begins with its code. These say that the command cannot succeed, whatever the state of Redis.
const FAULTS = new Set(['ERR', 'WRONGTYPE', 'CROSSSLOT'])
// Redis before 7 wraps what a script met into "ERR Error running script (…): …: -OOM …".
const PASSING =
  /\b(LOADING|READONLY|OOM|MISCONF|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|BUSY|TRYAGAIN|MOVED|ASK|NOSCRIPT)\b/

/**
 * What to throw for an error of the driver; `trouble` is why there is no connection, where that is known, and
 * `kinds` are the kinds of keys that the command was about. Its message is put together of our own words, an
 * error code and nothing else: the driver's errors carry the arguments of the command, tokens among them, and so
 * may the text of an error reply. For the same reason it is never passed on as a cause.
 */
export function cleanError(error: unknown, trouble?: string, kinds: readonly string[] = []): Error {
  if (error instanceof StorageUnavailable) return error
  const reason = reasonOf(error)
  if (!isReply(error)) {
    return wasNotSent(error)
      ? new StorageUnavailable(trouble ?? reason)
      : new OutcomeUnknown(trouble ?? reason)
  }
  const fault = FAULTS.has(replyCode(error)) && !PASSING.test(error.message)
  // Somebody has to look at these keys, so the message says of which kind they are.
  const about = kinds.length === 0 ? '' : ` about ${kinds.join(', ')}`
  return fault ? new Error(reason + about) : new StorageUnavailable(reason)
}

/** Why something failed, in a few words that hold no argument and no password. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  if (isReply(error)) return `Redis answered ${PASSING.exec(error.message)?.[1] ?? replyCode(error)}`
  if ('lastNodeError' in error && error.lastNodeError) return reasonOf(error.lastNodeError)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === 'ETIMEDOUT' || /timed? ?out/i.test(error.message)) return 'no answer in time'
  if (code !== undefined) return `no connection (${code})`
  if (/sentinel/i.test(error.message)) return 'no Sentinel knows a master'
  return 'no connection'
}

// What the driver says of a command that it did not even try to send.
function wasNotSent(error: unknown): boolean {
  return error instanceof Error && /enableOfflineQueue|Too many Cluster redirections/.test(error.message)
}

interface ReplyError extends Error {
  name: 'ReplyError'
}

function isReply(error: unknown): error is ReplyError {
  return error instanceof Error && error.name === 'ReplyError'
}

function replyCode(error: ReplyError): string {
  return /^[A-Z][A-Z0-9]*(?= |$)/.exec(error.message)?.[0] ?? 'ERR'
}
