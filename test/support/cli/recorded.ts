// Runs commands with operations that answer what a test says, and notes how they are called.
import type { TSchema } from '@sinclair/typebox'
import type { AnyInput, Calls, HostName } from '../../../cli/calls.ts'
import { CommandRun, type ServerFlags } from '../../../cli/run.ts'
import { HOST_OPERATIONS } from '../../../src/admin/host/operations.ts'
import type { Operation } from '../../../src/admin/operation/operation.ts'
import { OPERATIONS, type OperationName } from '../../../src/admin/operations.ts'
import { type CommandResult, createCli } from './run-cli.ts'

type Name = OperationName | HostName

/** A call: the name of the operation, and its input. What a command makes of a record that it changes is its `body`. */
export type Call = readonly [name: Name, input?: Readonly<Record<string, unknown>>]

/** What operations answer, or throw; absent: the least that their schemas allow. */
export type Answers = Readonly<Partial<Record<Name, object | ((input: AnyInput) => object)>>>

export interface Given {
  readonly answers?: Answers
  /** The record that a command changes. */
  readonly stored?: Readonly<Record<string, unknown>>
  readonly input?: string
  readonly isTTY?: boolean
  /** Whether it works at a server; absent: on the host. */
  readonly at_server?: true
  readonly environment?: Readonly<Record<string, string>>
}

/** Returns the least that a schema allows: texts are `x`, and what may be absent is. */
function leastOf({ type, properties = {}, required = [], enum: choices, format }: Partial<TSchema>): unknown {
  if (choices !== undefined) return choices[0]
  if (type === 'object')
    return Object.fromEntries(required.map((name: string) => [name, leastOf(properties[name])]))
  if (type === 'string') return format === 'date-time' ? new Date(NOW).toISOString() : 'x'
  return { array: [], boolean: false }[String(type)] ?? 0
}

export const NOW = Date.parse('2026-11-29T12:00:00Z')

/** Runs a command, and returns what it printed and the operations that it called. */
export async function recorded(
  args: readonly string[],
  { answers = {}, stored = {}, input, isTTY, at_server, environment = {} }: Given = {},
): Promise<CommandResult & { readonly calls: readonly Call[] }> {
  const called: Call[] = []
  const operations: Readonly<Record<string, Pick<Operation, 'answer'>>> = {
    ...OPERATIONS,
    ...HOST_OPERATIONS,
  }
  const call = async (name: Name, { patch, ...given }: AnyInput = {}) => {
    const noted = { ...given, ...(patch && { body: patch(stored) }) }
    const known = Object.entries(noted).filter(([, value]) => value !== undefined)
    called.push(known.length === 0 ? [name] : [name, Object.fromEntries(known)])
    const answer = answers[name]
    if (answer instanceof Error) throw answer
    if (given.dry_run) return { difference: [] }
    if (answer !== undefined) return typeof answer === 'function' ? answer(given) : answer
    return leastOf(operations[name]?.answer ?? {})
  }
  const calls = {
    now: NOW,
    ...(!at_server && { host: { guesses_issuer: false } }),
    call,
    plan: (name: Name, given: AnyInput) => call(name, { ...given, dry_run: true }),
  } as unknown as Calls
  class Recorded extends CommandRun {
    override operate(flags: ServerFlags, work: Parameters<CommandRun['operate']>[1]) {
      return this.executeAtServer(flags, () => work(calls))
    }
    override execute(): Promise<void> {
      throw new Error('the command works on storage')
    }
  }
  const { redmint } = createCli({
    environment: {
      REDIS_URL: 'redis://127.0.0.1:1',
      ...environment,
      ...(at_server && { REDMINT_SERVER: 'https://login.example.com' }),
    },
    now: () => NOW,
    runIn: (context) => new Recorded(context),
  })
  return { ...(await redmint(args, input, isTTY)), calls: called }
}
