import { randomUUID } from 'node:crypto'
import { HOST_OPERATIONS } from '../../src/admin/host/operations.ts'
import type { Operation } from '../../src/admin/operation/operation.ts'
import { AdminError, PROBLEMS, type ProblemCode } from '../../src/admin/operation/problem.ts'
import { OPERATIONS, type OperationName } from '../../src/admin/operations.ts'
import { isObject, parseObject } from '../../src/core/json.ts'
import { ADMIN_PATH } from '../../src/core/paths.ts'
import { type OperatorRequest, readText, send } from '../../src/outbound/operator-fetch.ts'
import { type AnyInput, answerOf, type Calls, type HostName, isOfHost } from '../calls.ts'
import { Refusal, ServerFailure, UsageError } from '../errors.ts'
import { signInAdvice } from './access.ts'

// Ending everything of a client takes seconds; milliseconds.
const TIMEOUT = 60_000
/** Bytes: a page of a list has at most some thousand records. */
const MAX_ANSWER = 16 * 1024 * 1024

/** An answer of the API. */
interface Answered {
  readonly etag: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** Calls operations by the API of a server. */
export class ServerCalls implements Calls {
  readonly now: number
  readonly #server: string
  readonly #token: () => Promise<string>

  /**
   * @param server its base address, as readAddress returns it
   * @param now milliseconds since 1970
   */
  constructor(server: string, token: () => Promise<string>, now: number) {
    this.#server = server
    this.#token = token
    this.now = now
  }

  /**
   * Calls an operation, and returns its answer. A record that it changes is read first: as on the host, the command
   * changes what is there now, and fails if somebody else is faster.
   * @throws AdminError as the operation; Refusal for another answer; ServerFailure if the server does not answer
   */
  call = async (name: OperationName | HostName, input: AnyInput = {}): Promise<never> => {
    if (isOfHost(name)) throw new UsageError(HOST_OPERATIONS[name].why)
    const operation: Operation = OPERATIONS[name]
    const { method, needs = {} } = operation
    const address = this.#server + ADMIN_PATH + pathOf(operation, input)
    // What replaces a record creates it, too, if no version is given.
    const is_read = needs.version === true && input.version === undefined
    const stored = is_read ? await this.#send(address, 'GET', {}) : undefined
    const version = input.version ?? stored?.etag
    const headers = {
      ...(version && { 'if-match': version }),
      ...(needs.creates && !input.dry_run && { 'idempotency-key': randomUUID() }),
    }
    const content = stored && input.patch ? input.patch(stored.body) : input.body
    const { body, etag } = await this.#send(address + queryOf(input), method, headers, content)
    if (input.dry_run) return { ...body, ...(etag && { version: etag }) } as never
    try {
      return answerOf(operation, body)
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new Refusal(`${address} answers in another form: use the redmint of the version of the server.`)
    }
  }

  plan = (name: OperationName | HostName, input: AnyInput): Promise<never> =>
    this.call(name, { ...input, dry_run: true })

  async #send(
    address: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    content?: unknown,
  ): Promise<Answered> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const request = {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${await this.#token()}`,
        accept: 'application/json, application/problem+json',
        ...(content === undefined ? {} : { 'content-type': type }),
      },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    }
    const { response, text } = await answered(address, request)
    const body = parseObject(text || '{}') ?? {}
    if (!response.ok) throw this.#errorOf(address, response.status, body)
    return { body, etag: response.headers.get('etag') ?? undefined }
  }

  /** Returns the error that a problem document (RFC 9457) describes. */
  #errorOf(address: string, status: number, body: Readonly<Record<string, unknown>>): Error {
    const [, code = ''] = PROBLEM.exec(String(body.type)) ?? []
    const detail = typeof body.detail === 'string' ? body.detail : `${address} answers ${status}.`
    if (code === 'unavailable') return new ServerFailure(detail)
    if (code === 'unauthorized')
      return new Refusal(`The server refuses the token: ${detail}\n${signInAdvice(this.#server)}`)
    if (!Object.hasOwn(PROBLEMS, code)) return new Refusal(detail)
    const fields = Array.isArray(body.fields) ? body.fields.filter(isField) : []
    return new AdminError(code as ProblemCode, detail, fields)
  }
}

/** @throws ServerFailure if the server does not answer */
async function answered(address: string, request: OperatorRequest) {
  try {
    const response = await send(address, request, TIMEOUT)
    return { response, text: await readText(response, address, MAX_ANSWER) }
  } catch (error) {
    throw new ServerFailure(`${(error as Error).message}.`)
  }
}

const PROBLEM = /^urn:redmint:problem:(\w+)$/

function isField(value: unknown): value is { field: string; detail: string } {
  return isObject(value) && typeof value.field === 'string' && typeof value.detail === 'string'
}

/** @throws Refusal for a name that would lead to another path */
function pathOf({ path }: Pick<Operation, 'path'>, { params = {} }: AnyInput): string {
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? ''
    // URL §4.4: these vanish from a path, also if they are encoded.
    if (['', '.', '..'].includes(value))
      throw new Refusal(`The name "${value}" cannot be in an address: use the command on a host with Redis.`)
    return encodeURIComponent(value)
  })
}

function queryOf({ query = {}, cursor, limit, dry_run }: AnyInput): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, cursor, limit, dry_run }))
    if (value !== undefined) pairs.set(name, String(value))
  return pairs.size === 0 ? '' : `?${pairs}`
}
