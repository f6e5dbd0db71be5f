// Runs operations of src/admin as the door does, without HTTP.
import { FormatRegistry, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import type { Test } from 'tap'
import { INITIAL_ACCESS_TOKEN_OPERATIONS } from '../../src/admin/clients/initial-access-tokens.ts'
import { CLIENT_OPERATIONS } from '../../src/admin/clients/operations.ts'
import { DETAIL_TYPE_OPERATIONS } from '../../src/admin/details/detail-types.ts'
import { ISSUER_OPERATIONS } from '../../src/admin/issuers/issuers.ts'
import type { AdminCaller, AdminContext, Operation } from '../../src/admin/operation/operation.ts'
import { versionOf } from '../../src/admin/operation/version.ts'
import { OPERATIONS as ALL } from '../../src/admin/operations.ts'
import { PROVIDER_OPERATIONS } from '../../src/admin/providers/operations.ts'
import { RESOURCE_OPERATIONS } from '../../src/admin/resources/resources.ts'
import { KEY_OPERATIONS } from '../../src/admin/server/keys.ts'
import { TOKEN_OPERATIONS } from '../../src/admin/tokens/operations.ts'
import type { AuditRecorder } from '../../src/audit/recorder.ts'
import { readConfig } from '../../src/config/config.ts'
import type { Settings } from '../../src/config/settings.ts'
import type { SecurityEvent } from '../../src/core/events.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { reportTo } from './audited.ts'
import { inMemory, onRedis } from './matrix.ts'

// Value.Errors refuses formats that nobody defined; the types of answers are checked here.
for (const format of ['uri', 'date-time']) FormatRegistry.Set(format, () => true)

/** The operations of clients, resources, issuers, providers, invitations, tokens and keys. */
export const OPERATIONS: readonly Operation[] = Object.values<Operation>({
  ...CLIENT_OPERATIONS,
  ...RESOURCE_OPERATIONS,
  ...DETAIL_TYPE_OPERATIONS,
  ...ISSUER_OPERATIONS,
  ...PROVIDER_OPERATIONS,
  ...INITIAL_ACCESS_TOKEN_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...KEY_OPERATIONS,
})

interface Given {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly version?: string
  readonly dry_run?: boolean
  readonly cursor?: string
  readonly limit?: number
}

/** What an operation answered. `version`: of the record that is stored now. */
interface Answered {
  readonly body: Readonly<Record<string, unknown>>
  readonly difference: readonly { field: string; from?: unknown; to?: unknown }[]
  readonly version: string
}

interface Options {
  readonly scopes?: readonly string[]
  readonly settings?: Partial<Settings>
  readonly reads_environment?: boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** The audit trail; absent: there is none. */
  readonly recorder?: Pick<AuditRecorder, 'entriesOf' | 'note'>
}

/** Somebody who runs operations, with all rights unless `scopes` says which. Each answer is checked by its schema. */
export function operatorOn(
  storage: Storage,
  { scopes, settings, reads_environment = false, now = Date.now, recorder }: Options = {},
) {
  const events: SecurityEvent[] = []
  const answers: unknown[] = []
  const caller: AdminCaller = {
    kind: 'client',
    id: 'operator',
    scopes: new Set(scopes ?? ['redmint:read', 'redmint:write']),
  }
  const context: AdminContext = {
    storage,
    settings: { ...readConfig({}).settings, ...settings },
    reads_environment,
    caller,
    report: recorder === undefined ? (event) => void events.push(event) : reportTo(events, recorder),
    now,
  }
  return {
    events,
    /** All answers and errors. */
    answers,
    async run(name: string, given: Given = {}): Promise<Answered> {
      const found = Object.values<Operation>(ALL).find((one) => one.name === name)
      if (found === undefined) throw new TypeError(`there is no operation ${name}`)
      const input = { params: {}, query: {}, body: {}, ...given }
      const outcome = await found.run(context, input).catch((error: unknown) => {
        answers.push(error)
        throw error
      })
      // The door makes the ETag of `stored`, and answers nothing else of it.
      const { stored: _, ...answered } = { stored: undefined, ...outcome }
      answers.push(answered)
      if ('difference' in outcome) return { body: {}, difference: outcome.difference, version: '' }
      assertAnswer(name, found.answer, outcome.body)
      const { stored } = outcome
      return {
        body: outcome.body as Answered['body'],
        difference: [],
        version: stored === undefined ? '' : versionOf(stored),
      }
    },
  }
}

function assertAnswer(name: string, schema: TSchema, body: unknown): void {
  const [error] = Value.Errors(schema, body)
  if (error !== undefined) throw new TypeError(`${name} answers ${error.path}: ${error.message}`)
}

/** Runs a test on a storage in memory, and on a real Redis. */
export function onEachStorage(
  t: Test,
  name: string,
  run: (t: Test, storage: Storage) => Promise<void>,
): void {
  t.test(`${name} (memory)`, async (t) => run(t, (await inMemory()).storage))
  onRedis(t, name, (t, { storage }) => run(t, storage))
}
