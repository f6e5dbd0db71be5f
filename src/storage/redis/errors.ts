import { StorageUnavailable } from '../errors.ts'

/** No reply to a command arrived: it may have run, or may still run. */
export class OutcomeUnknown extends StorageUnavailable {}

// Codes of error replies to commands that fail in any state of Redis.
const FAULTS = new Set(['ERR', 'WRONGTYPE', 'CROSSSLOT'])
// Temporary errors. Redis before 7 wraps the error of a script: "ERR Error running script (…): …: -OOM …".
const TEMPORARY =
  /\b(LOADING|READONLY|OOM|MISCONF|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|BUSY|TRYAGAIN|MOVED|ASK|NOSCRIPT)\b/

/**
 * Converts an error of the driver to the error to throw. Its message and cause never contain text of the driver or of
 * an error reply except the error code: both can contain the arguments of the command, such as tokens.
 * @param trouble why there is no connection, if that is known
 * @param kinds the kinds of the command's keys, for the message
 */
export function cleanError(error: unknown, trouble?: string, kinds: readonly string[] = []): Error {
  if (error instanceof StorageUnavailable) return error
  const reason = reasonOf(error)
  if (!isReply(error)) {
    return wasNotSent(error)
      ? new StorageUnavailable(trouble ?? reason)
      : new OutcomeUnknown(trouble ?? reason)
  }
  const fault = FAULTS.has(replyCode(error)) && !TEMPORARY.test(error.message)
  // An operator has to repair these keys, so the message names their kinds.
  const about = kinds.length === 0 ? '' : ` about ${kinds.join(', ')}`
  return fault ? new Error(reason + about) : new StorageUnavailable(reason)
}

// Codes of refusals that last until somebody repairs Redis, or it is done.
const REFUSALS = /\b(OOM|MISCONF|NOREPLICAS|BUSY|NOPERM|MASTERDOWN|CLUSTERDOWN|LOADING)\b/

/** Returns the code of a reply if Redis refuses commands in its present state. */
export function refusalOf(error: unknown): string | undefined {
  return isReply(error) ? REFUSALS.exec(error.message)?.[1] : undefined
}

/** Returns the reason of an error for messages, without arguments of commands and passwords. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  if (error instanceof StorageUnavailable) return error.message
  if (isReply(error)) return `Redis answered ${TEMPORARY.exec(error.message)?.[1] ?? replyCode(error)}`
  if ('lastNodeError' in error && error.lastNodeError) return reasonOf(error.lastNodeError)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === 'ETIMEDOUT' || /timed? ?out/i.test(error.message)) return 'no answer in time'
  if (code !== undefined) return `no connection (${code})`
  return 'no connection'
}

// Whether the driver did not try to send the command.
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
