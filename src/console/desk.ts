import { type AdminDoorContext, answerCaller } from '../admin/door/answer-operation.ts'
import type { FieldDifference } from '../admin/operation/difference.ts'
import type { ShownFinding } from '../admin/operation/findings.ts'
import type { Operation } from '../admin/operation/operation.ts'
import {
  type AnswerOf,
  type BareName,
  type Filled,
  type Named,
  OPERATIONS,
  type OperationName,
  type ParamsOf,
  type QueryName,
} from '../admin/operations.ts'
import type { Settings } from '../config/settings.ts'
import { hasScope } from '../core/admin-scopes.ts'
import type { ConsoleSection } from '../service/section.ts'
import { consolePlace, triedOf } from './place.ts'
import type { Operator } from './session.ts'

/** Returns an operation of the admin API. */
export const operationOf = (name: OperationName): Operation => OPERATIONS[name]

/** What an operation is given: what a request of the admin API would have. */
export type OperationInput<Name extends OperationName> = Named<Name> & Filled<Name> & Beside<Name>

interface Beside<Name extends OperationName> {
  /** Empty and absent values are left out. */
  readonly query?: { readonly [One in QueryName<Name> | 'cursor' | 'limit']?: string | undefined }
  /** The ETag of the record as the operator saw it. */
  readonly version?: string | undefined
}

interface Request {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: unknown
  readonly version?: string | undefined
}

/**
 * Returns the parameters of an operation that are in the path of a page or an action.
 * @throws Error if one is not: the page would be wrong
 */
export function paramsOf<Name extends OperationName>(
  name: Name,
  path: Readonly<Record<string, string>>,
): ParamsOf<Name> {
  const names = Object.keys(operationOf(name).params?.properties ?? {})
  const missing = names.find((one) => path[one] === undefined)
  if (missing !== undefined) throw new Error(`The path has no ${missing} for ${name}.`)
  return Object.fromEntries(names.map((one) => [one, path[one]])) as ParamsOf<Name>
}

/** What an operation answered. */
interface Answered<Body> {
  readonly body: Body
  /** The ETag of the record; empty: the answer is not a record. */
  readonly version: string
}

/** What an operation would do. */
interface Plan {
  readonly difference: readonly FieldDifference[]
  /** What lint would say of the record then; absent: there is no lint of such records. */
  readonly findings?: readonly ShownFinding[]
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
  /** The claim that has the groups of a person. */
  readonly groups_claim: string
  /** The address to which a sign-in that the console tries comes back. */
  readonly tried_uri: string
  /** The sections of rooms that the operator may see. */
  readonly sections: readonly ConsoleSection[]
  /** Whether the operator has the right that an operation needs. */
  may(name: OperationName): boolean
  /** Why this server refuses an operation, whoever asks and whatever the record is; undefined: it does not. */
  refusal(name: OperationName): string | undefined
  /** Why what an operation lists is turned off at this server; undefined: it is not. */
  off(name: OperationName): string | undefined
  /**
   * Does an operation of the admin API, as a request for it would.
   * @throws AdminError; StorageUnavailable
   */
  ask<Name extends BareName>(name: Name): Promise<Answered<AnswerOf<Name>>>
  ask<Name extends OperationName>(name: Name, asked: OperationInput<Name>): Promise<Answered<AnswerOf<Name>>>
  /** Finds out what an operation would do. @throws as ask */
  plan<Name extends OperationName>(name: Name, asked: OperationInput<Name>): Promise<Plan>
}

const MEDIA_TYPE = 'application/json'

/** Returns the desk of an operator. */
export function deskOf(
  context: AdminDoorContext & { readonly sections: readonly ConsoleSection[] },
  operator: Operator,
  base: string,
): Desk {
  const { caller } = operator
  const ask = async (
    name: OperationName,
    { params = {}, query = {}, body, version }: Request = {},
  ): Promise<Answered<never>> => {
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
      body: (reply.body === '' ? {} : JSON.parse(reply.body)) as never,
      version: reply.headers.etag ?? '',
    }
  }
  return {
    operator,
    base,
    now: context.now(),
    issuer: context.settings.issuer,
    second_factor: context.settings.second_factor,
    groups_claim: context.settings.groups_claim,
    tried_uri: triedOf(consolePlace(context.settings)),
    sections: context.sections.filter(({ scope }) => hasScope(caller.scopes, scope)),
    may: (name) => hasScope(caller.scopes, operationOf(name).scope),
    refusal: (name) => operationOf(name).refusal?.(context.settings),
    off: (name) => operationOf(name).off?.(context.settings),
    ask,
    plan: async (name, asked: Request) =>
      (await ask(name, { ...asked, query: { ...asked.query, dry_run: 'true' } })).body,
  }
}
