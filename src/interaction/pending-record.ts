import { hash } from 'node:crypto'
import type { Sid, TransactionId } from '../core/ids.ts'
import { isObject, parseObject } from '../core/json.ts'
import { type Parameters, parametersFrom } from '../core/parameters.ts'
import { isOpaqueToken, randomText } from '../core/token-string.ts'

/** The endpoint that received a request. */
export type PendingKind = 'authorization' | 'device' | 'ask' | 'logout' | 'account' | 'link'

/** What is kept of a request that waits for the user. */
export interface WaitingRequest {
  readonly kind: PendingKind
  /** The parameters of the request. They are checked anew at each step. */
  readonly parameters: Parameters
  /** What the client could obtain when it sent or pushed the request, if it left the scope out. */
  readonly default_scope?: string
  /** The subject of the user whom its id_token_hint is about; the hint itself is not kept. */
  readonly hinted_sub?: string
  /** The pushed request that it came as: its answer spends it. */
  readonly pushed?: string
  /** `true` if its `authorization_details` are too long to be carried: the pushed request has them. */
  readonly leaves_details?: true
  /** Of a logout: whether a hint, or the ended session, proves that the user signed in to the client of its client_id. */
  readonly is_proven?: boolean
}

/** A request that waits for the user, and the browser it belongs to. */
interface Waiting extends WaitingRequest {
  /** A token string; the code that answers the request has the same family id, and so has the pushed request. */
  readonly id: TransactionId
  /** A digest of the browser id: no other browser can continue the request. */
  readonly browser: string
  /** When it expires, in milliseconds since 1970. */
  readonly ends_at: number
}

/** What the user did so far for a request. */
export interface PendingProgress {
  /** The `sid` of the session that was started for this request. */
  readonly signed_in?: Sid | undefined
  /** The `sid` of the session that was chosen for this request. */
  readonly chosen?: Sid | undefined
  /** What the consent page asked about: `digestOfAsked`. */
  readonly asked?: string | undefined
  /** The `sid` of the session whose user allowed what was asked, or denied it. */
  readonly agreed?: Sid | undefined
  /** When that was judged, in milliseconds since 1970: an end of grants that came since ends what is granted by it. */
  readonly agreed_at?: number | undefined
  readonly refused?: Sid | undefined
  /** `true` if the user does not want to be asked by this client again. */
  readonly never_again?: string | undefined
  /** Which of the names that were asked about the user left out (`formatLeftOut`); absent: none. */
  readonly left_out?: string | undefined
  /** `true` after the user asked for another account. */
  readonly other_account?: string | undefined
  /** `true` after the user made an account for this request, or has one: nobody is led to make one any more. */
  readonly has_account?: string | undefined
  /** What waits for the person who signed in, once it was found: the id of the record of its code. */
  readonly code_id?: string | undefined
  /**
   * Why the last attempt to sign in was refused: `failed`, with what the method said after a space, or until when, in
   * milliseconds since 1970.
   */
  readonly problem?: string | undefined
  /** The id of the request in which it was refused: the page of the next one shows it. */
  readonly refused_by?: string | undefined
  /** `true` if that attempt was the last one: the client learns of it. */
  readonly gave_up?: string | undefined
  /** The username of that attempt. */
  readonly username?: string | undefined
  /** `true` if the user asked to stay signed in. */
  readonly stay?: string | undefined
  /** The sign-in method whose aside is shown before the request goes on. */
  readonly aside_of?: string | undefined
  /** The account as it was at the sign-in, if the method said it: what the aside does is for this one. */
  readonly aside_state?: string | undefined
  /** The round of a sign-in that waits for an answer. */
  readonly round?: OpenRound | undefined
}

/** A round of a sign-in that waits for its answer. */
export interface OpenRound {
  /** Random: no other round has it. */
  readonly id: string
  /** The name of the sign-in method. */
  readonly method: string
  /** Where the answer comes from. */
  readonly from: 'page' | 'site'
  /** What the method keeps until then. */
  readonly challenge: string
  /** When the first of the rounds that it goes on from was judged, in milliseconds since 1970; absent: none was. */
  readonly judged_since?: number
  /** A digest of the token that comes back beside it from another site: who reads it there sees whether it is whole. */
  readonly token_digest?: string
}

// A round has no username beside it, so that the sealed request fits into a request line (MAX_REQUEST_BYTES): a name of 255
// characters, of up to four bytes each, and what belongs to it.
const MAX_CHALLENGE_BYTES = 1536

/** A new round. @throws RangeError if the challenge is too long */
export function openRound(
  { name: method }: { readonly name: string },
  from: OpenRound['from'],
  challenge: string,
  judged_since?: number,
): OpenRound {
  if (Buffer.byteLength(challenge) > MAX_CHALLENGE_BYTES) {
    throw new RangeError(`The challenge of the sign-in method ${method} is too long.`)
  }
  return { id: randomText(16), method, from, challenge, ...(judged_since !== undefined && { judged_since }) }
}

const FAILED = 'failed'

/** The problem of an attempt that failed. */
export function failedBecause(reason = ''): string {
  return reason === '' ? FAILED : `${FAILED} ${reason}`
}

/** Why an attempt failed, as the method said; undefined if it did not fail. */
export function reasonOfFailure({ problem = '' }: Pick<PendingProgress, 'problem'>): string | undefined {
  const [what, reason = ''] = problem.split(' ')
  return what === FAILED ? reason : undefined
}

/** A pending request. Browsers carry it, sealed; storage has one only beside a link by which its user makes an account. */
export type PendingRecord = Waiting & PendingProgress

/** The pending request as it was received, before the user did anything. */
export function withoutProgress(pending: PendingRecord): PendingRecord {
  const {
    id,
    kind,
    parameters,
    default_scope,
    hinted_sub,
    pushed,
    leaves_details,
    is_proven,
    browser,
    ends_at,
  } = pending
  return {
    id,
    kind,
    parameters,
    ...(default_scope !== undefined && { default_scope }),
    ...(hinted_sub !== undefined && { hinted_sub }),
    ...(pushed !== undefined && { pushed }),
    ...(leaves_details && { leaves_details }),
    ...(is_proven !== undefined && { is_proven }),
    browser,
    ends_at,
  }
}

/** The name of a pending request for sign-in methods: it does not lead to the request. */
export function requestName({ id }: Pick<PendingRecord, 'id'>): string {
  return hash('sha256', `request ${id}`, 'base64url')
}

/** Formats a pending request as the text to seal. */
export function formatPending(record: PendingRecord): string {
  return JSON.stringify(record)
}

/** Parses what formatPending wrote; undefined if another version wrote it in another form. */
export function parsePending(text: string): PendingRecord | undefined {
  const found = (parseObject(text) ?? {}) as Partial<PendingRecord>
  const { id = '', kind, parameters, browser, ends_at } = found
  if (!isOpaqueToken(id) || typeof browser !== 'string' || typeof ends_at !== 'number') return undefined
  if (kind === undefined || !isObject(parameters)) return undefined
  return Object.assign(found, { id, kind, parameters: parametersFrom(parameters), browser, ends_at })
}

/**
 * A digest of what the consent page asks about: scope names, in any order, and what a client that describes itself says
 * about itself.
 */
export function digestOfAsked(names: readonly string[], description = ''): string {
  const about = description === '' ? '' : `\n${description}`
  return hash('sha256', names.toSorted().join(' ') + about, 'base64url')
}
