import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable } from 'node:stream'
import { parseObject } from '../core/json.ts'
import { codingOf } from './content-coding.ts'

// Milliseconds, for the whole answer.
const TIMEOUT = 5_000
const MAX_BYTES = 262_144

/** The answer was not 200. */
export class UnexpectedStatus extends Error {
  override readonly name = 'UnexpectedStatus'
  readonly status: number

  constructor(url: string, status: number) {
    super(`${url} answered ${status}`)
    this.status = status
  }
}

/** The answer has a content coding, and nobody asked for one. */
class CodedAnswer extends Error {}

/** A request to an address that the operator chose. */
export interface OperatorRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | URLSearchParams
}

/**
 * Sends a request to an address that the operator chose. Private addresses are allowed, because nobody else can choose
 * the address. A redirect could lead to one that the operator did not choose, and is not followed. Nothing decodes the
 * body, whatever coding the answer names: the fetch of Node would. Who reads such a body gets an error.
 * @param timeout milliseconds
 * @returns the response, whose body must be read or cancelled within that time after the call
 * @throws Error with the address and what is wrong
 */
export async function send(url: string, request: OperatorRequest = {}, timeout = TIMEOUT): Promise<Response> {
  const signal = AbortSignal.timeout(timeout)
  try {
    return toResponse(await exchange(new URL(url), request, signal), url)
  } catch (error) {
    return failed(url, error, timeout)
  }
}

function exchange(url: URL, request: OperatorRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { method = 'GET' } = request
  const body = request.body === undefined ? '' : String(request.body)
  const headers = {
    ...(request.body instanceof URLSearchParams && { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(request.body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    ...request.headers,
    'accept-encoding': 'identity',
  }
  const begin = url.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve, reject) => {
    const sending = begin(url, { method, headers, signal })
    sending.on('response', (incoming) => {
      // Or its reader would learn only that it was aborted.
      signal.addEventListener('abort', () => incoming.destroy(signal.reason))
      resolve(incoming)
    })
    sending.on('error', (error: NodeJS.ErrnoException) => {
      // The other side closed a connection that was kept (RFC 9110 §9.2.2: only what is safe is sent again).
      const was_closed = method === 'GET' && sending.reusedSocket && error.code === 'ECONNRESET'
      if (was_closed) exchange(url, request, signal).then(resolve, reject)
      else reject(error)
    })
    sending.end(body)
  })
}

function toResponse(incoming: IncomingMessage, url: string): Response {
  const { statusCode = 0 } = incoming
  const headers = new Headers()
  for (const [name, values] of Object.entries(incoming.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  // The statuses for which Response refuses a body.
  if (![204, 205, 304].includes(statusCode))
    return new Response(bodyOf(incoming, url), { status: statusCode, headers })
  incoming.resume()
  return new Response(null, { status: statusCode, headers })
}

function bodyOf(incoming: IncomingMessage, url: string): ReadableStream {
  const coding = codingOf(incoming.headers['content-encoding'])
  if (coding === undefined) return Readable.toWeb(incoming) as ReadableStream
  incoming.destroy()
  const error = new CodedAnswer(`${url} answered with the coding ${coding}, which was not asked for`)
  // Not before it is read: most look at the status alone.
  return new ReadableStream({ pull: (controller) => controller.error(error) }, { highWaterMark: 0 })
}

/**
 * Reads a response of at most 256 KiB as a JSON object.
 * @throws Error with the address and what is wrong
 */
export async function readObject(response: Response, url: string): Promise<Record<string, unknown>> {
  const object = parseObject(await readText(response, url))
  if (object === undefined) throw new Error(`${url} did not answer with a JSON object`)
  return object
}

/**
 * Fetches a JSON object from an address that the operator chose, within 5 seconds and 256 KiB.
 * @throws UnexpectedStatus; Error with the address and what is wrong
 */
export async function fetchObject(url: string, request?: OperatorRequest): Promise<Record<string, unknown>> {
  return readObject(await fetchOk(url, request), url)
}

/**
 * Fetches a text from an address that the operator chose, within 5 seconds and 256 KiB.
 * @throws UnexpectedStatus; Error with the address and what is wrong
 */
export async function fetchText(url: string, request?: OperatorRequest): Promise<string> {
  return readText(await fetchOk(url, request), url)
}

async function fetchOk(url: string, request?: OperatorRequest): Promise<Response> {
  const response = await send(url, request)
  if (response.status === 200) return response
  await response.body?.cancel()
  throw new UnexpectedStatus(url, response.status)
}

/**
 * Reads a response of `send`.
 * @param max_bytes how long it may be, by default 256 KiB
 * @throws Error with the address and what is wrong
 */
export async function readText(response: Response, url: string, max_bytes = MAX_BYTES): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      // Leaving the loop cancels the body.
      if (bytes > max_bytes) break
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof CodedAnswer) throw error
    failed(url, error)
  }
  if (bytes > max_bytes) throw new Error(`${url} answered with more than ${max_bytes} bytes`)
  return Buffer.concat(chunks).toString()
}

/** @param timeout milliseconds; absent: it was that of the call that the answer belongs to */
function failed(url: string, error: unknown, timeout?: number): never {
  const { name, message, cause } = error as Error
  const is_late = name === 'TimeoutError' || (cause as Error | undefined)?.name === 'TimeoutError'
  const late = timeout === undefined ? 'completely in time' : `in ${timeout} ms`
  throw new Error(`${url} did not answer ${is_late ? late : `(${message})`}`, { cause: error })
}
