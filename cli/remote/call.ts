import { randomUUID } from 'node:crypto'
import type { TObject, TSchema } from '@sinclair/typebox'
import type { Operation } from '../../src/admin/operation.ts'
import { ADMIN_PATH } from '../../src/core/paths.ts'
import { AdminError, PROBLEMS, type ProblemCode } from '../../src/admin/problem.ts'
import { isObject, parseObject } from '../../src/core/json.ts'
import { send } from '../../src/outbound/operator-fetch.ts'
import { Refusal } from '../errors.ts'

/** What an operation is called with; all that it does not need may be left out. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly dry_run?: boolean
  readonly cursor?: string
  readonly limit?: number
}

/** Calls operations by the API of a server. */
export class ServerCalls {
  readonly #server: string
  readonly #token: () => Promise<string>

  constructor(server: string, token: () => Promise<string>) {
    this.#server = server
    this.#token = token
  }

  /**
   * Calls an operation, and returns its answer. A record that it changes is read first: as on the host, the command
   * changes what is there now, and fails if somebody else is faster.
   * @throws AdminError as the operation; Refusal for another answer; Error if the server does not answer
   */
  async call(operation: Operation<TObject, TObject, TSchema, TSchema>, input: CallInput): Promise<unknown> {
    const { method, needs = {} } = operation
    const address = this.#server + ADMIN_PATH + pathOf(operation, input)
    const { etag } = needs.version ? await this.#send(address, 'GET', {}) : {}
    const headers = {
      ...(etag && { 'if-match': etag }),
      ...(needs.creates && { 'idempotency-key': randomUUID() }),
    }
    const { body } = await this.#send(address + queryOf(input), method, headers, input.body)
    return body
  }

  async #send(
    address: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    content?: unknown,
  ): Promise<{ etag?: string; body: Readonly<Record<string, unknown>> }> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
    const response = await send(address, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${await this.#token()}`,
        accept: 'application/json, application/problem+json',
        ...(content === undefined ? {} : { 'content-type': type }),
      },
      ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    })
    const body = parseObject((await response.text()) || '{}') ?? {}
    if (!response.ok) throw errorOf(address, response.status, body)
    const etag = response.headers.get('etag')
    return { body, ...(etag === null ? {} : { etag }) }
  }
}

function pathOf({ path }: Pick<Operation, 'path'>, { params = {} }: CallInput): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

function queryOf({ query = {}, dry_run, cursor, limit }: CallInput): string {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, dry_run: dry_run || undefined, cursor, limit }))
    if (value !== undefined) pairs.set(name, String(value))
  return pairs.size === 0 ? '' : `?${pairs}`
}

const PROBLEM = /^urn:redmint:problem:(\w+)$/

/** Returns the error that a problem document (RFC 9457) describes. */
function errorOf(address: string, status: number, body: Readonly<Record<string, unknown>>): Error {
  const [, code = ''] = PROBLEM.exec(String(body.type)) ?? []
  const detail = typeof body.detail === 'string' ? body.detail : `${address} answers ${status}`
  if (!Object.hasOwn(PROBLEMS, code)) return new Refusal(detail)
  const fields = Array.isArray(body.fields) ? body.fields.filter(isField) : []
  return new AdminError(code as ProblemCode, detail, fields)
}

function isField(value: unknown): value is { field: string; detail: string } {
  return isObject(value) && typeof value.field === 'string' && typeof value.detail === 'string'
}
