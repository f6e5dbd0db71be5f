import { type Static, Type } from '@sinclair/typebox'
import type { Reason } from '../../core/reasons.ts'
import { describeProblem, type FieldProblem } from '../../core/record-hash.ts'
import type { RefusalFacts } from '../../core/refusal.ts'

/** The reasons why an operation is refused, and their statuses (RFC 9457, RFC 9110 §15, RFC 6585 §3). */
export const PROBLEMS = {
  invalid_request: { status: 400, title: 'The request is malformed.', reason: 'admin_request_malformed' },
  invalid_cursor: { status: 400, title: 'The cursor is not of this list.', reason: 'admin_cursor_foreign' },
  unauthorized: {
    status: 401,
    title: 'The request needs an access token for this API.',
    reason: 'token_missing',
  },
  missing_scope: { status: 403, title: 'The access token lacks a scope.', reason: 'admin_scope_missing' },
  lacks_right: {
    status: 403,
    title: 'Nobody can give a right that he does not have.',
    reason: 'admin_right_missing',
  },
  not_found: { status: 404, title: 'There is no such record.', reason: 'admin_record_missing' },
  unknown_path: { status: 404, title: 'Nothing is at this path.', reason: 'admin_path_unknown' },
  method_not_allowed: {
    status: 405,
    title: 'The path does not answer this method.',
    reason: 'admin_method_unknown',
  },
  exists: { status: 409, title: 'The record exists already.', reason: 'admin_record_exists' },
  conflict: {
    status: 409,
    title: 'The state of the record does not allow this.',
    reason: 'admin_state_conflict',
  },
  last_administrator: {
    status: 409,
    title: 'The last administrator must stay.',
    reason: 'admin_last_administrator',
  },
  stale: { status: 412, title: 'The record has changed since it was read.', reason: 'admin_version_stale' },
  too_large: { status: 413, title: 'The request is too large.', reason: 'body_too_large' },
  unsupported_media_type: {
    status: 415,
    title: 'The body has another media type.',
    reason: 'admin_media_type',
  },
  invalid_field: {
    status: 422,
    title: 'A field has a value that it cannot have.',
    reason: 'admin_field_invalid',
  },
  unknown_field: { status: 422, title: 'There is no such field.', reason: 'admin_field_unknown' },
  key_reused: {
    status: 422,
    title: 'The Idempotency-Key belongs to another request.',
    reason: 'admin_key_reused',
  },
  version_required: {
    status: 428,
    title: 'The request needs If-Match with the ETag of the record.',
    reason: 'admin_version_missing',
  },
  too_many_requests: { status: 429, title: 'Too many requests.', reason: 'admin_limited' },
  server_error: { status: 500, title: 'Something went wrong on our side.', reason: 'server_fault' },
  misconfigured: {
    status: 500,
    title: 'This server is set up in another way than the others.',
    reason: 'settings_differ',
  },
  unavailable: { status: 503, title: 'The service cannot answer now.', reason: 'storage_away' },
} as const satisfies Record<string, { status: number; title: string; reason: Reason }>

export type ProblemCode = keyof typeof PROBLEMS

/** Whether an answer refuses nothing: what was looked for is not there (404), or is not as it was read any more (412). */
export const refusesNothing = (code: ProblemCode): boolean => NOT_THERE.includes(PROBLEMS[code].status)

const NOT_THERE: readonly number[] = [404, 412]

/** Why one field is refused. */
export interface InvalidField {
  readonly field: string
  /** With the name of the field. */
  readonly detail: string
}

/** What an answer says of a refused operation (RFC 9457 §3.1). */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'urn:redmint:problem: and a code, which never changes' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What to do, for people' }),
    fields: Type.Optional(
      Type.Array(Type.Object({ field: Type.String(), detail: Type.String() }), {
        description: 'The fields that are wrong',
      }),
    ),
    request_id: Type.Optional(Type.String({ description: 'The request in the log' })),
  },
  { description: 'Why an operation is refused (RFC 9457)' },
)
export type Problem = Static<typeof Problem>

/** A refused operation. The messages contain no secrets. */
export class AdminError extends Error {
  override readonly name = 'AdminError'
  readonly code: ProblemCode
  /** The fields that are wrong; empty if no field is. */
  readonly fields: readonly InvalidField[]
  /** What explains it to operators, and the client that asks. */
  readonly facts: Pick<RefusalFacts, 'received' | 'expected' | 'client_id'>

  constructor(
    code: ProblemCode,
    detail: string,
    fields: readonly InvalidField[] = [],
    facts: AdminError['facts'] = {},
  ) {
    super(detail)
    this.code = code
    this.fields = fields
    this.facts = facts
  }
}

/** Returns the error for a record that does not exist. `noun`: "client". */
export function notFound(noun: string, name: string): AdminError {
  return new AdminError('not_found', `There is no ${noun} "${name}".`)
}

/** Returns the error for a record that exists already. `noun`: "client". */
export function alreadyExists(noun: string, name: string): AdminError {
  return new AdminError('exists', `The ${noun} "${name}" exists already.`)
}

/** Returns the error for one field. `detail`: why it is refused, with its name. */
export function invalidField(field: string, detail: string): AdminError {
  return new AdminError('invalid_field', detail, [{ field, detail }])
}

/** Returns the error for a record that would be malformed. */
export function invalidFields(problems: readonly FieldProblem[]): AdminError {
  const fields = problems.map((problem) => ({ field: problem.field, detail: describeProblem(problem) }))
  return new AdminError('invalid_field', fields.map(({ detail }) => detail).join('; '), fields)
}

/** Returns what an answer says of an error. */
export function problemOf({ code, message, fields }: AdminError, request_id?: string): Problem {
  const { status, title } = PROBLEMS[code]
  return {
    type: `urn:redmint:problem:${code}`,
    title,
    status,
    detail: message,
    ...(fields.length > 0 && { fields: fields.map(({ field, detail }) => ({ field, detail })) }),
    ...(request_id !== undefined && { request_id }),
  }
}
