import type { Static } from '@sinclair/typebox'
import { endingsContext } from '../src/admin/access/context.ts'
import type { DryRunAnswer } from '../src/admin/door/answer-operation.ts'
import type { HostContext, HostOperation } from '../src/admin/host/operation.ts'
import { HOST_OPERATIONS } from '../src/admin/host/operations.ts'
import { checkInput } from '../src/admin/operation/check-input.ts'
import type { ListNotes, Page } from '../src/admin/operation/list.ts'
import { Looks } from '../src/admin/operation/looks.ts'
import type { Operation, OperationOutcome } from '../src/admin/operation/operation.ts'
import { versionOf } from '../src/admin/operation/version.ts'
import {
  type AnswerOf,
  type BareName,
  type Filled,
  type ItemOf,
  type ListOperation,
  type Named,
  OPERATIONS,
  type OperationName,
  type QueryName,
} from '../src/admin/operations.ts'
import { writerOf } from '../src/core/answer-json.ts'
import { present } from '../src/core/present.ts'
import { workOffEndings } from '../src/logout/endings.ts'
import { Passwords } from '../src/users/passwords.ts'
import { adminContext } from './admin-context.ts'
import type { CommandContext } from './command-context.ts'
import type { RecordAnswer } from './from-answer.ts'

/** What an operation is called with. */
export type CallInput<Name extends OperationName> = Named<Name> & (Filled<Name> | Patch) & Beside<Name>

interface Patch {
  /**
   * Returns the body of a change from the record as it is; the change fails if another process is faster. Of a removal, it
   * only refuses.
   */
  readonly patch: (stored: RecordAnswer) => RecordAnswer | undefined
}

interface Beside<Name extends OperationName> extends Partial<Patch> {
  readonly query?: { readonly [One in QueryName<Name>]?: unknown }
  readonly cursor?: string | undefined
  readonly limit?: number
  /** The version that the record must have, as a plan said it; absent: that which it has now. */
  readonly version?: string | undefined
}

export type HostName = keyof typeof HOST_OPERATIONS

interface HostInput<Name extends HostName> {
  readonly body: Static<(typeof HOST_OPERATIONS)[Name]['body']>
}

/** What any operation is called with. */
export interface AnyInput extends Partial<Patch> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly cursor?: string | undefined
  readonly limit?: number
  readonly version?: string | undefined
  /** Nothing is written; the answer is that of a dry run. */
  readonly dry_run?: true
}

/** Calls operations of the admin API by their names: on the host with storage, or at a server. */
export interface Calls {
  /** Milliseconds since 1970. */
  readonly now: number
  /** What is not sure on the host; absent: it is at a server. */
  readonly host?: Pick<CommandContext, 'guesses_issuer' | 'disputed_issuers'>
  /**
   * Calls an operation, and returns its answer.
   * @throws AdminError as the operation; otherwise an error of the command, or of storage
   */
  call<Name extends BareName>(name: Name): Promise<AnswerOf<Name>>
  call<Name extends OperationName>(name: Name, input: CallInput<Name>): Promise<AnswerOf<Name>>
  call<Name extends HostName>(
    name: Name,
    input: HostInput<Name>,
  ): Promise<Static<(typeof HOST_OPERATIONS)[Name]['answer']>>
  /** Finds out what an operation would do: nothing is written. @throws as call */
  plan<Name extends OperationName>(name: Name, input: CallInput<Name>): Promise<Plan>
  plan<Name extends HostName>(name: Name, input: HostInput<Name>): Promise<Plan>
}

/** What an operation would do. */
export type Plan = Static<typeof DryRunAnswer> & {
  /** The version of the record that there is; absent: there is none. */
  readonly version?: string
}

/** Returns the calls of a command on the host. */
export function hostCalls(context: CommandContext): Calls {
  // Servers may have another TOKENS_AT_REST.
  const admin = { ...adminContext(context), openOtherForm: context.openOtherForm }
  const looks = new Looks(admin.now)
  let host: HostContext | undefined
  const callHost = async (name: HostName, { body, dry_run }: AnyInput) => {
    const operation: HostOperation = HOST_OPERATIONS[name]
    checkInput(operation.body, body)
    host ??= { ...admin, passwords: new Passwords(context.config) }
    const outcome = await operation.run(host, { body, ...(dry_run && { dry_run }) })
    if (operation.ends && !dry_run) await workOffEndings(endingsContext(admin))
    return answerIn(operation, outcome)
  }
  const call = async (name: OperationName | HostName, input: AnyInput = {}) => {
    if (isOfHost(name)) return callHost(name, input)
    const { params = {}, query = {}, patch, cursor, limit, dry_run } = input
    const operation: Operation = OPERATIONS[name]
    if (operation.params) checkInput(operation.params, params, { code: 'unknown_path' })
    const read = patch && (await readingOf(operation).run(admin, { params, query: {}, body: undefined }))
    const is_read = read !== undefined && 'body' in read
    const body = is_read ? patch?.(answerOf(readingOf(operation), read.body)) : input.body
    const expected = is_read && read.stored ? versionOf(read.stored) : input.version
    const version = expected !== undefined && { version: expected }
    if (operation.body) checkInput(operation.body, body, { is_patch: operation.method === 'PATCH' })
    const paging = limit === undefined ? { cursor } : { cursor, limit }
    const planned = dry_run && { dry_run }
    const outcome = await operation.run(admin, { params, query, body, ...paging, ...version, ...planned })
    // Of a change a command prints no record.
    if (operation.scope.endsWith(':read')) looks.note(admin, outcome)
    // What servers do in the background: there may be none that runs. What creates something ends nothing.
    const may_end = operation.method !== 'GET' && !operation.needs?.creates && !dry_run
    if (may_end) await workOffEndings(endingsContext(admin))
    return answerIn(operation, outcome)
  }
  const plan = (name: OperationName | HostName, input: AnyInput) => call(name, { ...input, dry_run: true })
  return { now: context.now(), host: context, call, plan }
}

/** Whether only the host has an operation. */
export const isOfHost = (name: OperationName | HostName): name is HostName =>
  Object.hasOwn(HOST_OPERATIONS, name)

/** Returns the operation that reads the record which another one changes. */
function readingOf({ path }: Operation): Operation {
  const found = Object.values(OPERATIONS).find((one) => one.path === path && one.method === 'GET')
  if (found === undefined) throw new Error(`Nothing reads ${path}.`)
  return found
}

/**
 * Returns the answer of an operation with the members of its schema only, so that a command sees the same on the host and
 * from a server.
 * @throws TypeError if a member is missing
 */
export function answerOf({ answer }: Pick<Operation, 'answer'>, body: unknown): never {
  return (body === undefined ? undefined : JSON.parse(writerOf(answer)(body))) as never
}

/** Returns what an operation on the host answered, or would change. @throws TypeError if a member is missing */
function answerIn(operation: Pick<Operation, 'answer'>, outcome: OperationOutcome<unknown>): never {
  if ('body' in outcome) return answerOf(operation, outcome.body)
  const { stored, shows: _, ...planned } = outcome
  return { ...planned, ...(stored && { version: versionOf(stored) }) } as never
}

/** Returns all items of a list, page by page. */
export async function allItems<Name extends ListOperation>(
  calls: Calls,
  name: Name,
  input: CallInput<Name>,
): Promise<ItemOf<Name>[]> {
  return (await wholeList(calls, name, input)).items
}

/** Returns all items of a list, page by page, what it says of itself, and whether it may lack some. */
export async function wholeList<Name extends ListOperation>(
  { call }: Calls,
  name: Name,
  input: CallInput<Name>,
): Promise<{ items: ItemOf<Name>[] } & ListNotes> {
  const items: ItemOf<Name>[] = []
  let cursor: string | undefined
  let notes: ListNotes = {}
  do {
    const page: Page<ItemOf<Name>> & ListNotes = await call(name, { ...input, cursor, limit: PAGE })
    items.push(...page.items)
    notes = { ...notes, ...present({ of: page.of, indexing: page.indexing }) }
    cursor = page.next
  } while (cursor !== undefined)
  return { items, ...notes }
}

/** The longest page that the API answers. */
const PAGE = 200
