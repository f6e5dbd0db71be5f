import type { EventEmitter } from 'node:events'
import {
  type Static,
  type TObject,
  type TSchema,
  type TUndefined,
  type TUnsafe,
  Type,
} from '@sinclair/typebox'
import type { Settings } from '../../config/settings.ts'
import type { AdminScope } from '../../core/admin-scopes.ts'
import type { EventActor } from '../../core/audit-entries.ts'
import type { ReportEvent } from '../../core/events.ts'
import type { Sub } from '../../core/ids.ts'
import type { Hash } from '../../core/record-hash.ts'
import type { ConsentSite } from '../../interaction/consent-site.ts'
import type { SignInMethods } from '../../interaction/sign-in-method.ts'
import type { Sealer } from '../../keys/sealer.ts'
import type { DoctorCheck } from '../../service/check.ts'
import type { Storage } from '../../storage/storage.ts'
import type { FieldDifference } from './difference.ts'
import type { ShownFinding } from './findings.ts'
import { AdminError } from './problem.ts'
import { assertMayGive } from './rights.ts'

/** Who asks: a client for itself, a person by way of a client, or the command on the host. */
export interface AdminCaller {
  readonly kind: 'client' | 'user' | 'command'
  /** The client_id or the username; of the command the empty text. */
  readonly id: string
  /** What a person is called; absent: there is no name. */
  readonly name?: string | undefined
  /** The sub of a person. */
  readonly sub?: Sub
  /** Who runs the command, as the host calls it. */
  readonly login?: string
  /** The client by way of which a person asks. */
  readonly client_id?: string
  /** What the caller may do. The command on the host may do everything. */
  readonly scopes: ReadonlySet<string>
}

/** Returns what the audit trail says of a caller at a door: a person by the sub alone. */
export function actorOf({ kind, id, sub, client_id }: AdminCaller, via: 'api' | 'console'): EventActor {
  if (kind === 'command') return { kind: 'operator', via: 'command' }
  return kind === 'client' ? { kind, id, via } : { kind: 'operator', id: sub, via, client_id }
}

/** What operations work with. */
export interface AdminContext {
  readonly storage: Storage
  readonly settings: Settings
  /** Whether the settings come from environment variables, and not from an application; absent: they do not. */
  readonly reads_environment?: boolean
  readonly caller: AdminCaller
  readonly report: ReportEvent
  /** The ways to sign in at the server; absent: the command on the host does not know them. */
  readonly methods?: SignInMethods
  /** Opens what browsers carry; absent: the command on the host has no browser. */
  readonly sealer?: Pick<Sealer, 'open'>
  /** The page of an application that asks for consent; absent: there is none, or no server that asks. */
  readonly consent_site?: ConsentSite | undefined
  /** What rooms of an application have examined; absent: the command on the host does not load them. */
  readonly checks?: readonly DoctorCheck[]
  /** Told of notices of logouts that are queued; absent: servers look for them within seconds. */
  readonly logouts?: EventEmitter<{ queued: [] }>
  /** Told of what is to be ended in the background; absent: servers look for it within seconds. */
  readonly endings?: EventEmitter<{ queued: [] }>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The largest body of most operations, in bytes. */
export const BODY_LIMIT = 64 * 1024

/** What the door of an operation must ask for. */
interface Needs {
  /**
   * `If-Match`: the operation replaces, changes or removes a record. Its input has `version`. `if_exists`: only if there is
   * a record already, which the operation finds out. `if_given`: only if the request has the header.
   */
  readonly version?: true | 'if_exists' | 'if_given'
  /** `Idempotency-Key` is accepted: the operation creates something, and a repetition gets the same answer. */
  readonly creates?: true
  /** `?dry_run=true` is accepted: the operation answers the difference and writes nothing. Its input has `dry_run`. */
  readonly dry_run?: true
  /** It is about the challenge in its parameters, and counts against the budget of this one. */
  readonly challenge?: true
  /** It answers a page: its input has `cursor` and `limit`, and its answer `items` and `next`. */
  readonly page?: true
  /** The largest body in bytes; absent: BODY_LIMIT. */
  readonly body_limit?: number
}

/** Whether the record is read before the operation is called, and its version sent along. */
export const demandsVersion = ({ version }: Needs): boolean => version !== undefined && version !== 'if_given'

/** What an operation is given. The door has checked it by the schemas. */
export interface Input<Params extends TObject, Query extends TObject, Body extends TSchema> {
  readonly params: Static<Params>
  readonly query: Static<Query>
  readonly body: Static<Body>
  /** The version that the caller read; undefined only for the command, which reads and changes in one go. */
  readonly version?: string | undefined
  readonly dry_run?: boolean
  /** Where the page begins: `next` of the page before, as the operation returned it; undefined: at the beginning. */
  readonly cursor?: string | undefined
  /** How many items the page has at most. */
  readonly limit?: number
}

interface Shows {
  /**
   * The username of the one person whom the answer shows: looking at somebody is an event. Absent: it shows nobody, or
   * many.
   */
  readonly shows?: string | undefined
}

/** What an operation did. */
interface Done<Body> extends Shows {
  readonly body: Body
  /** The record as it is stored now: its ETag is made from it. */
  readonly stored?: Hash
}

/** What an operation would do, if it was asked with `dry_run`. */
interface Planned extends Shows {
  readonly difference: readonly FieldDifference[]
  /** What lint would say of the record then; absent: there is no lint of such records. */
  readonly findings?: readonly ShownFinding[]
  /** The record as it is stored: its ETag is made from it. Absent: there is none. */
  readonly stored?: Hash | undefined
}

export type OperationOutcome<Body> = Done<Body> | Planned

/** One thing that operators do. The API, the command and its descriptions are made from the tables of operations. */
export interface Operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
  Name extends string = string,
> {
  /** Its name in the description of the API, such as `list_users`. */
  readonly name: Name
  readonly summary: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** The path below that of the API: `/users/:username`. */
  readonly path: `/${string}`
  readonly scope: AdminScope
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  readonly answer: Answer
  readonly needs?: Needs
  /**
   * Why a server with these settings refuses it, whatever the record is; undefined: it does not. The console does not offer
   * it then.
   */
  refusal?(settings: Settings): string | undefined
  /**
   * Returns the rights of what it changes, disables, ends or removes: a caller who lacks one is refused before it runs,
   * whatever else is asked (`dry_run`). Absent: it only reads, or nothing that it is about can have a right.
   * @throws StorageUnavailable
   */
  rights?(
    context: AdminContext,
    input: Input<Params, Query, Body>,
  ): readonly string[] | Promise<readonly string[]>
  /**
   * Why what it lists is turned off at a server with these settings; undefined: it is not. Its answer says so in `off`, and
   * the console with the list.
   */
  off?(settings: Settings): string | undefined
  /** @throws AdminError if it is refused; StorageUnavailable */
  run(context: AdminContext, input: Input<Params, Query, Body>): Promise<OperationOutcome<Static<Answer>>>
}

const OFF = Type.Optional(
  Type.String({ description: 'Why there can be nothing new: it is turned off; absent: it is not' }),
)

/** What the answer of an operation says more if it has `off`: why there can be nothing. */
type Said<Answer extends TSchema, Off> = Off extends undefined
  ? Answer
  : TUnsafe<Static<Answer> & { readonly off?: string }>

/** What an operation has no parameters of. */
type None = TObject<Record<never, never>>

/**
 * Returns an operation with the types of its name and schemas, to stand in a table of different ones. What the settings
 * refuse is refused at every door, with `conflict`, and what is above the caller with `lacks_right`; what the settings
 * turn off is said by every answer.
 */
export function operation<
  const Name extends string,
  Answer extends TSchema,
  Params extends TObject = None,
  Query extends TObject = None,
  Body extends TSchema = TUndefined,
  Off extends Operation['off'] = undefined,
>(
  definition: Operation<Params, Query, Body, Answer, Name> & { readonly off?: Off },
): Operation<Params, Query, Body, Said<Answer, Off>, Name> {
  // The door gives it only what its schemas accept.
  return guarded(definition as unknown as Operation) as Operation<
    Params,
    Query,
    Body,
    Said<Answer, Off>,
    Name
  >
}

function guarded(given: Operation): Operation {
  const { refusal, off, rights, answer } = given
  if (refusal === undefined && off === undefined && rights === undefined) return given
  return {
    ...given,
    ...(off && { answer: { ...answer, properties: { ...answer.properties, off: OFF } } }),
    async run(context, input) {
      const why = refusal?.(context.settings)
      if (why !== undefined) throw new AdminError('conflict', why)
      // The command on the host may do everything, and reads nothing for it.
      if (rights !== undefined && context.caller.kind !== 'command')
        assertMayGive(context.caller, await rights(context, input))
      const outcome = await given.run(context, input)
      const said = off?.(context.settings)
      if (said === undefined || !('body' in outcome)) return outcome
      return { ...outcome, body: { ...(outcome.body as object), off: said } }
    },
  }
}

/** Returns a table of operations by their names. */
export function byName<const Table extends readonly Operation[]>(
  ...table: Table
): { readonly [One in Table[number] as One['name']]: One } {
  return Object.fromEntries(table.map((one) => [one.name, one])) as never
}

/** Returns the refusal of an operation on what servers keep with CONSOLE=on alone. @param sentence such as "… are kept" */
export const onlyWithConsole =
  (sentence: string) =>
  ({ console }: Pick<Settings, 'console'>): string | undefined =>
    console === 'off' ? `${sentence} with CONSOLE=on.` : undefined
