import type { Redis } from 'ioredis'
import { StorageUnavailable } from '../../errors.ts'

/** No reply to a command arrived: it may have run, or may still run. */
export class OutcomeUnknown extends StorageUnavailable {}

// Codes of error replies to commands that fail in any state of Redis.
const FAULTS = new Set(['ERR', 'WRONGTYPE', 'CROSSSLOT'])
// Temporary errors. Redis before 7 wraps the error of a script: "ERR Error running script (…): …: -OOM …".
const TEMPORARY =
  /\b(LOADING|READONLY|OOM|MISCONF|CLUSTERDOWN|MASTERDOWN|NOREPLICAS|BUSY|TRYAGAIN|MOVED|ASK|NOSCRIPT)\b/

// A user that lacks a right for a command of a script. Redis 7.0 and earlier say it in the first way.
const DENIED = /The user executing the script can't|ACL failure in script/

// A script finds out that a key is not there, or that the Cluster is down, after it has written others.
const INTERRUPTED =
  /cript attempted to (access a non local key|execute a (write )?command while the cluster is down)/

const WRONG_TYPE_ADVICE = ': look at the key with TYPE, and remove it with DEL'

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
  if (INTERRUPTED.test(error.message) || DENIED.test(error.message)) return new OutcomeUnknown(reason)
  const code = replyCode(error)
  if (!FAULTS.has(code) || TEMPORARY.test(error.message)) return new StorageUnavailable(reason)
  // An operator has to repair these keys, so the message names their kinds.
  const about = kinds.length === 0 ? '' : ` about ${kinds.join(', ')}`
  return new Error(reason + about + (code === 'WRONGTYPE' ? WRONG_TYPE_ADVICE : ''))
}

// Codes of refusals that last until an operator repairs Redis, or until it has finished what it is doing.
const REFUSALS = /\b(OOM|MISCONF|NOREPLICAS|BUSY|MASTERDOWN|CLUSTERDOWN|LOADING)\b/

// Replies that end by themselves: the driver asks again, asks another node, or connects again.
const PASSING = new Set(['READONLY', 'MOVED', 'ASK', 'TRYAGAIN', 'NOSCRIPT'])

/**
 * Returns the code of a reply if Redis refuses commands in its present state: NOPERM, NOAUTH, OOM, and each that is not
 * known here.
 */
export function refusalOf(error: unknown): string | undefined {
  if (!isReply(error)) return undefined
  if (DENIED.test(error.message)) return 'NOPERM'
  const code = REFUSALS.exec(error.message)?.[1] ?? replyCode(error)
  return FAULTS.has(code) || PASSING.has(code) ? undefined : code
}

// Error replies whose code says too little.
const SENTENCES: readonly [RegExp, string][] = [
  [/^ERR DB index is out of range/, 'it has no such database'],
  [/^ERR This instance has cluster support disabled/, 'it is not a node of a Redis Cluster'],
  [/^ERR unknown command '?`?SENTINEL/i, 'it is not a Sentinel'],
  [/cript attempted to access a non local key/, 'a slot is being moved'],
  [/cript attempted to execute/, 'Redis answered CLUSTERDOWN'],
  [DENIED, 'Redis answered NOPERM'],
]

/** Returns the reason of an error for messages, without arguments of commands and passwords. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed'
  if (error instanceof StorageUnavailable) return error.message
  if (/^(Unknown RESP type|Protocol error)/.test(error.message))
    return 'it does not speak the protocol of Redis'
  const said = isReply(error) ? SENTENCES.find(([pattern]) => pattern.test(error.message)) : undefined
  if (said !== undefined) return said[1]
  if (isReply(error)) return `Redis answered ${TEMPORARY.exec(error.message)?.[1] ?? replyCode(error)}`
  if (/Too many Cluster redirections/.test(error.message)) return 'a slot is being moved'
  if ('lastNodeError' in error && error.lastNodeError) return reasonOf(error.lastNodeError)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  if (code === 'ETIMEDOUT' || /timed? ?out/i.test(error.message)) return 'no answer in time'
  if (code !== undefined) return `no connection (${code})`
  return 'no connection'
}

/** Returns why a connection could not be made. @param error absent: it was closed without one */
export function connectReason({ options, stream }: Redis, error: unknown): string {
  const reason = error === undefined ? 'the connection was closed' : reasonOf(error)
  if (reason === 'no answer in time' && options.tls && stream?.bytesRead === 0)
    return 'no answer to TLS in time'
  // A server with too many clients says so, but its answer may be lost.
  const was_closed = error === undefined || /ECONNRESET|EPIPE|max number of clients/.test(String(error))
  if (!was_closed) return reason
  // With TLS 1.3 a client is connected before the server has asked for its certificate, and often misses the alert.
  return options.tls ? 'it closed the TLS connection at once' : 'it closed the connection at once'
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

// Redis before 7 wraps the error of a script: "ERR Error running script (…): …: WRONGTYPE …".
const WRAPPED = /^ERR Error running script .*?: (WRONGTYPE|CROSSSLOT)\b/

function replyCode(error: ReplyError): string {
  const wrapped = WRAPPED.exec(error.message)?.[1]
  if (wrapped !== undefined) return wrapped
  return /^[A-Z][A-Z0-9]*(?= |$)/.exec(error.message)?.[0] ?? 'ERR'
}
