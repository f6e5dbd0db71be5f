import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Cluster, Redis } from 'ioredis'
import type { PollOutcome } from '../families.ts'
import { ScriptCommand, type SentScript } from './driver.ts'

const INCLUDE = /^-- include: (.*)\n/gm

type Argument = string | number

/** The types of a script's arguments and answer, which the comment in its file describes. */
interface Script<Args extends readonly Argument[], Answer> {
  readonly args?: Args
  readonly answer?: Answer
  /** Whether the answer is sent as JSON: one text is read in a quarter of the time of a list of texts. */
  readonly json?: boolean
}

const script = <Args extends readonly Argument[], Answer>(): Script<Args, Answer> => ({})
const jsonScript = <Args extends readonly Argument[], Answer>(): Script<Args, Answer> => ({ json: true })

/** Any number of arguments: records, counted lists. */
type Arguments = readonly Argument[]
/** A hash as field, value, field, value, … */
type Flat = string[]

type RedeemAnswer =
  | ['ok', code: Flat]
  | ['mismatch', field: string]
  | ['target', resource: string]
  | ['replayed', more: string]
  | ['missing' | 'withdrawn' | PollOutcome]
  | ['used', position: number]
/** The answer to a refresh that succeeds; the last four are those of a token that was spent before. */
export type RefreshedAnswer = ['ok', scope: string, family: Flat, ...spent: string[]]
type RefreshAnswer =
  | RefreshedAnswer
  | ['target', resource: string]
  | ['reused', more: string]
  | ['mismatch' | 'scope' | 'key' | 'retry_key' | 'missing' | 'withdrawn']
  | ['used', position: number]

/** All scripts of the folder scripts/, with the types of their arguments and answers. */
const SCRIPTS = {
  'put-records': script<Arguments, 'ok'>(),
  'create-records': script<Arguments, 'ok' | 'exists'>(),
  'read-clock': script<[], number>(),
  'read-record': script<[idle_ttl: number | '', end_field: string, ...fields: string[]], Flat>(),
  'change-record': script<Arguments, 'ok' | 'missing'>(),
  'take-record': script<Arguments, Flat>(),
  'redeem-code': jsonScript<[operation: string, ...Arguments], RedeemAnswer>(),
  'withdraw-redemption': script<[operation: string], 'ok'>(),
  'refresh-token': jsonScript<[operation: string, ...Arguments], RefreshAnswer>(),
  'withdraw-refresh': script<[operation: string], 'ok'>(),
  'save-client-tokens': script<Arguments, 'ok'>(),
  'grant-once': script<[jti: string, ...Arguments], number>(),
  'use-once': script<
    [operation: string, ttls: string, client_id: string, ids: number, ...Arguments],
    number
  >(),
  'save-revoked-token': script<[expires: number, ...Flat], 'ok'>(),
  'find-token': jsonScript<[], Flat>(),
  'find-token-and-family': jsonScript<[], [token: Flat, family: Flat]>(),
  'find-token-by-proof': jsonScript<
    [operation: string, ttl: string, jkt: string, is_jwt: string],
    [token: Flat, family: Flat] | ['used']
  >(),
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
  'register-openly': script<Arguments, [outcome: 'ok' | 'address' | 'all', ends_in: number]>(),
  'register-by-invitation': script<Arguments, 'ok' | 'missing'>(),
}

export type ScriptName = keyof typeof SCRIPTS
export const SCRIPT_NAMES = Object.keys(SCRIPTS) as ScriptName[]
export type ArgsOf<Name extends ScriptName> = NonNullable<(typeof SCRIPTS)[Name]['args']>
export type AnswerOf<Name extends ScriptName> = NonNullable<(typeof SCRIPTS)[Name]['answer']>

/** Runs a script. */
export type RunScript = <Name extends ScriptName>(
  name: Name,
  keys: readonly string[],
  args: ArgsOf<Name>,
) => Promise<AnswerOf<Name>>

interface Prepared extends SentScript {
  readonly json: boolean
}

const PREPARED = Object.fromEntries(
  Object.keys(SCRIPTS).map((name) => {
    const { json = false }: Script<Arguments, unknown> = SCRIPTS[name as ScriptName]
    const lua = sourceOf(name as ScriptName, json)
    const sha = createHash('sha1').update(lua).digest('hex')
    return [name, { lua, sha, json, known: new WeakSet() }]
  }),
) as Record<ScriptName, Prepared>

/** Returns the function that runs scripts on a client. It throws errors of the driver. */
export function scriptsOn(client: Redis | Cluster): RunScript {
  const send = (command: ScriptCommand) => client.sendCommand(command) as Promise<unknown>
  return <Name extends ScriptName>(name: Name, keys: readonly string[], args: ArgsOf<Name>) => {
    const script = PREPARED[name]
    const read = (answer: unknown) => (script.json ? JSON.parse(String(answer)) : answer) as AnswerOf<Name>
    const command = new ScriptCommand(script, keys, args)
    return send(command).then(read, (error: unknown) => {
      // It did not run: SCRIPT FLUSH, or another server behind the same connection.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      command.forget()
      return send(new ScriptCommand(script, keys, args)).then(read)
    })
  }
}

/** Returns the text of a script after the text of its includes, recursively, each once. */
function sourceOf(name: ScriptName, json: boolean): string {
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
  // An empty list is written as {}.
  if (json) parts.set(name, `return cjson.encode((function()\n${parts.get(name)}\nend)())\n`)
  return [...parts.values()].join('')
}
