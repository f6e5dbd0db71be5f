import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { isObject, parseJson } from '../core/json.ts'
import { codeFrom, statusCode } from '../core/third-parties.ts'
import { isUrl } from '../core/uri.ts'
import { codingOf } from './content-coding.ts'
import { TOO_LONG } from './counted-connection.ts'
import {
  INTERIM,
  NOT_PUBLIC,
  type PublicRequestOptions,
  requestPublicly,
  TIMED_OUT,
} from './public-request.ts'

const MAX_BYTES = 5 * 1024
const JSON_TYPE = 'application/json'
// A deeper document could exhaust the stack of code that walks through it.
const MAX_DEPTH = 16

/** Where and how a document may be fetched. */
export interface PublicGetOptions extends PublicRequestOptions {
  /** The media types that are accepted, in lower case and without parameters; by default application/json. */
  readonly media_types?: readonly string[]
  /** How many bytes the document may have at most; by default 5 kB. */
  readonly max_bytes?: number
}

/** Why there is no document; a label for counters. */
export type FetchFailureCode =
  /** The URL, or an address of its host, is one that is never asked. */
  | 'address'
  /** No answer: no such name, no connection, no valid certificate. */
  | 'network'
  | 'time'
  /** The host says that it cannot answer now: 429, or 5xx. */
  | 'unavailable'
  /** Another status than 200. */
  | 'status'
  | 'media_type'
  | 'size'
  /** Not a JSON object in UTF-8. */
  | 'json'
  /** A document that its reader refuses. */
  | 'invalid'
  /** Nothing was asked, because too much was asked already. */
  | 'budget'

/** A document that could not be fetched. */
export interface FetchFailure {
  readonly ok: false
  readonly code: FetchFailureCode
  /**
   * Continues a sentence about the document, for logs and pages: holds nothing that the other host wrote, or that tells
   * about names and ports. Whatever can be said of addresses in the network of the operator has the same sentence.
   */
  readonly problem: string
  /** More for the log. */
  readonly detail?: string
  /** The status of the answer, if that is what was wrong. */
  readonly status?: number
  /** Whether the host says that there is no such document. */
  readonly is_gone: boolean
}

/** A JSON object, and the headers that say how long it is fresh. */
export interface Fetched {
  readonly ok: true
  readonly document: Record<string, unknown>
  readonly headers: Pick<IncomingHttpHeaders, 'cache-control' | 'expires' | 'date' | 'age'>
}

/** Fetches a JSON object. Never rejects. */
export type GetDocument = (url: string) => Promise<Fetched | FetchFailure>

/**
 * Fetches a JSON object from an https URL without credentials, with the guards of requestPublicly: every status but 200,
 * another media type, a longer or deeper document is a failure. The time includes the whole body. Never rejects.
 */
export async function getPublicly(url: string, options: PublicGetOptions): Promise<Fetched | FetchFailure> {
  const { media_types = [JSON_TYPE], max_bytes = MAX_BYTES, ...where } = options
  const parsed = isUrl(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'https:' || parsed.username || parsed.password) {
    return fetchFailure('address', 'does not have an https URL without user name and password')
  }
  const headers = { accept: media_types.join(', '), 'accept-encoding': 'identity' }
  try {
    return await requestPublicly(
      parsed,
      { method: 'GET', headers, max_response: max_bytes },
      where,
      (response) => readDocument(response, media_types, max_bytes),
    )
  } catch (error) {
    return failureOf(error as NodeJS.ErrnoException)
  }
}

function failureOf({ code = 'connection closed' }: NodeJS.ErrnoException): FetchFailure {
  if (code === TOO_LONG) return fetchFailure('size', 'came with more octets than a document may have')
  if (code === INTERIM) return fetchFailure('status', 'was answered with an interim response')
  if (code === NOT_PUBLIC) return away('address', 'the address of its host is not public')
  return away(code === TIMED_OUT ? 'time' : 'network', code)
}

/** Returns the failure of a document that is not known to be wrong. `detail`: for the log. */
export function away(code: FetchFailureCode, detail: string): FetchFailure {
  return { ...fetchFailure(code, 'cannot be fetched now'), detail }
}

/** Returns the code of a failure for operators: of Node.js, `HTTP_503`, or that of the failure. */
export function failureCode({ code, detail, status }: FetchFailure): string {
  return codeFrom(status === undefined ? detail : statusCode(status), code)
}

/** The problem of a document for the log. */
export function describeFailure({ problem, detail }: FetchFailure): string {
  return detail === undefined ? problem : `${problem} (${detail})`
}

/** Returns a failure; only `is_gone` says that a document which was there before must not be used any more. */
export function fetchFailure(code: FetchFailureCode, problem: string, is_gone = false): FetchFailure {
  return { ok: false, code, problem, is_gone }
}

async function readDocument(
  response: IncomingMessage,
  media_types: readonly string[],
  max_bytes: number,
): Promise<Fetched | FetchFailure> {
  const { statusCode: status = 0, headers } = response
  // Also a redirect: it could lead anywhere.
  if (status === 429 || status >= 500) return { ...away('unavailable', `status ${status}`), status }
  if (status !== 200) {
    const problem = `was answered with status ${status}, not 200`
    return { ...fetchFailure('status', problem, [404, 410].includes(status)), status }
  }
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (!media_types.includes(type.trim().toLowerCase())) {
    return fetchFailure('media_type', `does not have the media type ${media_types.join(' or ')}`)
  }
  if (codingOf(headers['content-encoding']) !== undefined) {
    return fetchFailure('media_type', 'is compressed, although that was not asked for')
  }
  const body = await readAtMost(response, max_bytes)
  if (body === undefined) return fetchFailure('size', `is longer than ${max_bytes} bytes`)
  const document = parseJson(textOf(body))
  if (!isObject(document) || isDeeperThan(MAX_DEPTH, document)) {
    return fetchFailure('json', 'is not a JSON object in UTF-8, or too deep')
  }
  const { 'cache-control': cacheControl, expires, date, age } = headers
  return {
    ok: true,
    document,
    headers: {
      ...(cacheControl !== undefined && { 'cache-control': cacheControl }),
      ...(expires !== undefined && { expires }),
      ...(date !== undefined && { date }),
      ...(age !== undefined && { age }),
    },
  }
}

/** Reads the body; undefined, without reading on, if it has more bytes. @throws if the connection ends before it does */
async function readAtMost(response: IncomingMessage, max_bytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += (chunk as Buffer).length
    if (length > max_bytes) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

// RFC 8259 §8.1: UTF-8.
function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return ''
  }
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(depth - 1, member))
}
