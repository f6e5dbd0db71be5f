import { readFileSync } from 'node:fs'
import type { Cluster, Redis } from 'ioredis'

const INCLUDE = /^-- include: (.*)\n/gm

type Argument = string | number

/** The types of a script's arguments and answer, which the comment in its file describes. */
interface Script<Args extends readonly Argument[], Answer> {
  readonly args?: Args
  readonly answer?: Answer
}

const script = <Args extends readonly Argument[], Answer>(): Script<Args, Answer> => ({})

/** Any number of arguments: records, counted lists. */
type Arguments = readonly Argument[]
/** A hash as field, value, field, value, … */
type Flat = string[]

/** All scripts of the folder scripts/, with the types of their arguments and answers. */
const SCRIPTS = {
  'put-records': script<Arguments, 'ok'>(),
  'create-records': script<Arguments, 'ok' | 'exists'>(),
  'read-record': script<[idle_ttl: number, end_field: string], Flat>(),
  'change-record': script<Arguments, 'ok' | 'missing'>(),
  'take-record': script<Arguments, Flat>(),
  'redeem-code': script<[operation: string, ...Arguments], Flat>(),
  'withdraw-redemption': script<[operation: string], 'ok'>(),
  'refresh-token': script<[operation: string, ...Arguments], Flat>(),
  'withdraw-refresh': script<[operation: string], 'ok'>(),
  'save-token': script<[ttl: number, limit: number, ...Flat], 'ok'>(),
  'save-revoked-token': script<[expires: number, ...Flat], 'ok'>(),
  'find-token': script<[], Flat>(),
  'find-token-and-family': script<[], [token: Flat, family: Flat]>(),
  'revoke-token': script<
    [digest: string, ...client_id: string[]],
    [outcome: 'ok' | 'missing' | 'mismatch', more?: string]
  >(),
  'revoke-family': script<[], [outcome: 'ok' | 'missing', more?: string]>(),
  'end-family': script<[ttl: number], [outcome: 'ok', more?: string]>(),
  'mark-revoked': script<[], string>(),
  'revoke-code': script<[], 'ok' | 'missing'>(),
  'queue-items': script<string[], 'ok'>(),
  'claim-items': script<[max: number, lease: number], string[]>(),
  'retry-items': script<Arguments, 'ok'>(),
  'replace-hash': script<[expected_arguments: number, ...Flat], 0 | 1>(),
  'count-failure': script<
    [field: string, shared: string, window: number, max: number],
    [count: number, ends_in: number]
  >(),
  'forgive-failure': script<[field: string, shared: string], 'ok'>(),
  'remember-browser': script<
    [name: string, bound_to: string, ttl: number, max: number, replaces: string],
    'ok'
  >(),
  'find-browser': script<[name: string], string>(),
}

export type ScriptName = keyof typeof SCRIPTS
export type ArgsOf<Name extends ScriptName> = NonNullable<(typeof SCRIPTS)[Name]['args']>
export type AnswerOf<Name extends ScriptName> = NonNullable<(typeof SCRIPTS)[Name]['answer']>

/** Runs a script. */
export type RunScript = <Name extends ScriptName>(
  name: Name,
  keys: readonly string[],
  args: ArgsOf<Name>,
) => Promise<AnswerOf<Name>>

const NAMES = Object.keys(SCRIPTS) as ScriptName[]
const SOURCES = NAMES.map((name) => [name, sourceOf(name)] as const)

/**
 * Defines the scripts on a client, and returns the function that runs them. The driver sends the digest of a script,
 * and its text if the server does not have it.
 */
export function defineScripts(client: Redis | Cluster): RunScript {
  for (const [name, lua] of SOURCES) client.defineCommand(name, { lua })
  const defined = client as unknown as {
    [Name in ScriptName]: (numberOfKeys: number, ...keysAndArgs: Argument[]) => Promise<AnswerOf<Name>>
  }
  return (name, keys, args) => defined[name](keys.length, ...keys, ...args)
}

/** Returns the text of a script after the text of its includes, recursively, each once. */
function sourceOf(name: ScriptName): string {
  const parts = new Map<string, string>()
  const add = (file: string) => {
    if (parts.has(file)) return
    const text = readFileSync(new URL(`./scripts/${file}.lua`, import.meta.url), 'utf8')
    for (const [, helpers = ''] of text.matchAll(INCLUDE)) {
      for (const helper of helpers.split(', ')) add(`includes/${helper}`)
    }
    parts.set(file, text.replace(INCLUDE, ''))
  }
  add(name)
  return [...parts.values()].join('')
}
