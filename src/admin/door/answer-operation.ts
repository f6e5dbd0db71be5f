import { Type } from '@sinclair/typebox'
import { hasScope } from '../../core/admin-scopes.ts'
import { writerOf } from '../../core/answer-json.ts'
import type { ReportEvent } from '../../core/events.ts'
import type { ClientId } from '../../core/ids.ts'
import type { Sealer } from '../../keys/sealer.ts'
import type { ValidAccessToken } from '../../tokens/validation.ts'
import { checkInput } from '../operation/check-input.ts'
import { FindingAnswer } from '../operation/findings.ts'
import type { Looks } from '../operation/looks.ts'
import type { AdminCaller, AdminContext, Operation, OperationOutcome } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'
import { versionOf } from '../operation/version.ts'
import { readBody } from './body.ts'
import { ADMIN_REQUESTS, type AdminBudget } from './budget.ts'
import { type CallerContext, callerOf } from './caller.ts'
import { cursorFor, type FilteredList, placeOf } from './cursor.ts'
import { versionIn } from './precondition.ts'
import { readQuery } from './query.ts'
import { keyIn, onceForKey } from './repetition.ts'
import type { AdminReply } from './reply.ts'

/** What the door of the admin API works with. */
export type AdminDoorContext = Omit<AdminContext, 'caller' | 'report' | 'sealer'> &
  CallerContext & {
    readonly sealer: Pick<Sealer, 'seal' | 'open'>
    /** How many requests of each caller are left. */
    readonly admin_requests: Pick<AdminBudget, 'take'>
    /** Who looked at whom. */
    readonly looks: Pick<Looks, 'note'>
    /** Returns what reports events of this caller. */
    reportOf(caller: AdminCaller): ReportEvent
  }

/** What somebody who is known asks for. */
export interface AskedOperation {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  /** Encoded, without the question mark. */
  readonly query: string
  /** Empty if there is none. */
  readonly body: string
  /** Those that an operation may need, by their names in lower case. */
  readonly header: (name: 'content-type' | 'if-match' | 'idempotency-key') => string | undefined
}

/** A request for an operation. */
export interface Received extends AskedOperation {
  /** The access token, which was validated for this API. */
  readonly token: ValidAccessToken
}

/** What an operation answers instead, if it is asked for a dry run. */
export const DryRunAnswer = Type.Object(
  {
    difference: Type.Array(
      Type.Object({
        field: Type.String(),
        from: Type.Optional(Type.Unknown({ description: 'Absent: there is none, or it is a secret' })),
        to: Type.Optional(Type.Unknown({ description: 'Absent: there is none, or it is a secret' })),
      }),
    ),
    findings: Type.Optional(
      Type.Array(FindingAnswer, { description: 'of a client: what lint would say of it then' }),
    ),
  },
  { description: 'What would change; nothing was written' },
)

/**
 * Answers a request of the admin API: finds out who asks, and does as answerCaller.
 * @throws AdminError; StorageUnavailable
 */
export async function answerOperation(context: AdminDoorContext, received: Received): Promise<AdminReply> {
  return answerCaller(context, await callerOf(context, received.token), received)
}

/**
 * Answers somebody who is known: finds out whether they may, reads the request, and does the operation. The API and the
 * console have no other way to an operation.
 * @throws AdminError; StorageUnavailable
 */
export async function answerCaller(
  context: AdminDoorContext,
  caller: AdminCaller,
  asked: AskedOperation,
): Promise<AdminReply> {
  const { operation, params, header } = asked
  const { scope, needs = {} } = operation
  // Who may not answer challenges has no budget for them.
  const is_answer = needs.challenge === true && hasScope(caller.scopes, scope)
  if (!context.admin_requests.take(caller, is_answer ? params.challenge : undefined))
    throw new AdminError('too_many_requests', 'Too many requests of one caller: try again in a minute.', [], {
      expected: { at_most: ADMIN_REQUESTS.per_name, within_seconds: 60 },
    })
  if (!hasScope(caller.scopes, scope)) {
    const asking = caller.kind === 'client' ? caller.id : caller.client_id
    throw new AdminError(
      'missing_scope',
      `This needs the scope ${scope}, of the client and of the user.`,
      [],
      {
        received: { scopes: [...caller.scopes] },
        expected: { scope },
        ...(asking !== undefined && { client_id: asking as ClientId }),
      },
    )
  }
  if (operation.params !== undefined) checkInput(operation.params, params, { code: 'unknown_path' })
  const { query, limit, cursor, dry_run } = readQuery(operation, asked.query)
  const body = readBody(operation, header('content-type'), asked.body)
  const if_match = header('if-match')
  const is_optional = needs.version !== true && if_match === undefined
  const version = needs.version && !is_optional ? versionIn(if_match) : undefined
  const list: FilteredList = { operation: operation.name, params, filter: query }
  const input = {
    params,
    query,
    body,
    ...(version !== undefined && { version }),
    ...(needs.dry_run && { dry_run }),
    ...(needs.page && { limit, cursor: cursor && placeOf(context.sealer, list, cursor) }),
  }
  const working = { ...context, caller, report: context.reportOf(caller) }
  const run = async () => {
    const outcome = await operation.run(working, input)
    context.looks.note(working, outcome)
    return replyOf(context, operation, list, outcome)
  }
  const key = needs.creates && !dry_run ? keyIn(header('idempotency-key')) : undefined
  if (key === undefined) return run()
  const request = [params, query, body]
  return onceForKey(context, { caller, operation: operation.name, key, asked: request }, run)
}

function replyOf(
  { sealer }: AdminDoorContext,
  { answer, needs }: Operation,
  list: FilteredList,
  done: OperationOutcome<unknown>,
): AdminReply {
  const headers = done.stored === undefined ? {} : { etag: versionOf(done.stored) }
  if ('difference' in done) {
    const { shows: _, stored: __, ...planned } = done
    return { status: 200, headers, body: JSON.stringify(planned) }
  }
  const { body } = done
  if (body === undefined) return { status: 204, headers, body: '' }
  const { next } = body as { next?: string }
  const shown =
    needs?.page && next !== undefined ? { ...(body as object), next: cursorFor(sealer, list, next) } : body
  return { status: needs?.creates ? 201 : 200, headers, body: writerOf(answer)(shown) }
}
