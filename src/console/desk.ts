import { answerCaller, type DoorContext } from '../admin/door/answer-operation.ts'
import type { Operation } from '../admin/operation/operation.ts'
import { OPERATIONS } from '../admin/operations.ts'
import type { Settings } from '../config/settings.ts'
import { hasScope } from '../core/admin-scopes.ts'
import { consolePlace, triedOf } from './place.ts'
import type { Operator } from './session.ts'

const BY_NAME = new Map(OPERATIONS.map((operation) => [operation.name, operation]))

/** Returns an operation of the admin API. @throws Error if there is none of this name: a page would be wrong */
export function operationOf(name: string): Operation {
  const operation = BY_NAME.get(name)
  if (operation === undefined) throw new Error(`There is no operation ${name}.`)
  return operation
}

/** What an operation is given: what a request of the admin API would have. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>
  /** Empty and absent values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  /** The ETag of the record as the operator saw it. */
  readonly version?: string | undefined
}

/** What an operation answered. */
interface Answered<Body> {
  readonly body: Body
  /** The ETag of the record; empty: the answer is not a record. */
  readonly version: string
}

/** Where an operator works: the operations of the admin API, with the rights of this operator. */
export interface Desk {
  readonly operator: Operator
  /** The path of the console. */
  readonly base: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly issuer: string
  /** Whether people have a second step at this server. */
  readonly second_factor: Settings['second_factor']
  /** The address to which a sign-in that the console tries comes back. */
  readonly tried_uri: string
  /** Whether the operator has the right that an operation needs. */
  may(name: string): boolean
  /** Why this server refuses an operation, whoever asks and whatever the record is; undefined: it does not. */
  refusal(name: string): string | undefined
  /** Why what an operation lists is turned off at this server; undefined: it is not. */
  off(name: string): string | undefined
  /**
   * Does an operation of the admin API, as a request for it would.
   * @throws AdminError; StorageUnavailable
   */
  ask<Body>(name: string, asked?: Asked): Promise<Answered<Body>>
}

const MEDIA_TYPE = 'application/json'

/** Returns the desk of an operator. */
export function deskOf(context: DoorContext, operator: Operator, base: string): Desk {
  const { caller } = operator
  return {
    operator,
    base,
    now: context.now(),
    issuer: context.settings.issuer,
    second_factor: context.settings.second_factor,
    tried_uri: triedOf(consolePlace(context.settings)),
    may: (name) => hasScope(caller.scopes, operationOf(name).scope),
    refusal: (name) => operationOf(name).refusal?.(context.settings),
    off: (name) => operationOf(name).off?.(context.settings),
    async ask<Body>(name: string, { params = {}, query = {}, body, version }: Asked = {}) {
      const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
      const reply = await answerCaller(context, caller, {
        operation: operationOf(name),
        params,
        query: new URLSearchParams(given as [string, string][]).toString(),
        body: body === undefined ? '' : JSON.stringify(body),
        header: (header) =>
          header === 'content-type' ? MEDIA_TYPE : header === 'if-match' ? version : undefined,
      })
      return {
        body: (reply.body === '' ? {} : JSON.parse(reply.body)) as Body,
        version: reply.headers.etag ?? '',
      }
    },
  }
}
