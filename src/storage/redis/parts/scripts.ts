import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Cluster, Redis } from 'ioredis'
import type { Taken } from '../../evidence.ts'
import type { PollOutcome } from '../../families.ts'
import { ScriptCommand, type SentScript } from '../connection/driver.ts'
import {
  type Argument,
  addArguments,
  headerOf,
  type NamedValue,
  type ScriptHeader,
  withLocals,
} from './script-arguments.ts'
import { withFields } from './script-fields.ts'

const INCLUDE = /^-- include: (.*)\n/gm

/** The types of a script's arguments, which its header names, and of its answer, which the comment in its file describes. */
interface Script<Args, Answer> {
  readonly args: Args
  readonly answer?: Answer
  /** Whether the answer is sent as JSON: one text is read in a quarter of the time of a list of texts. */
  readonly json: boolean
}

const script =
  <Answer>() =>
  <Args extends Readonly<Record<string, NamedValue>>>(args: Args): Script<Args, Answer> => ({
    args,
    json: false,
  })
const jsonScript =
  <Answer>() =>
  <Args extends Readonly<Record<string, NamedValue>>>(args: Args): Script<Args, Answer> => ({
    args,
    json: true,
  })

// Samples: only their types and names count.
const text = '' as string
const number = 0 as number
const list = [] as readonly Argument[]
const flag = false as boolean | undefined
const optional_text = '' as string | undefined
const optional_number = 0 as number | undefined

/** A hash as field, value, field, value, … */
type Flat = string[]

type RedeemAnswer =
  | ['ok', facts: readonly (string | false)[]]
  | ['mismatch', field: string]
  | ['target', resource: string]
  | ['details', details: string]
  | ['replayed', more: string]
  | ['missing' | 'withdrawn' | PollOutcome]
  | ['used', position: number]
/** The answer to a refresh that succeeds; the last two are those of a token that was spent before. */
export type RefreshedAnswer = ['ok', scope: string, facts: readonly (string | false)[], ...spent: string[]]
type RefreshAnswer =
  | RefreshedAnswer
  | ['target', resource: string]
  | ['details', details: string]
  | ['reused', more: string]
  | ['mismatch' | 'scope' | 'key' | 'retry_key' | 'missing' | 'withdrawn']
  | ['used', position: number]

/** All scripts of the folder scripts/. */
export const SCRIPTS = {
  'put-records': script<'ok'>()({ entries: list, words: list, lists: list, records: list }),
  'create-records': script<'ok' | 'exists'>()({ entries: list, words: list, lists: list, records: list }),
  'join-lists': script<number>()({ lists: list }),
  'read-clock': script<number>()({}),
  'read-record': script<(string | null)[]>()({
    idle_ttl: optional_number,
    end_field: optional_text,
    used_field: optional_text,
    expected: list,
    fields: list,
  }),
  'change-record': script<'ok' | 'missing' | 'again'>()({
    ttl: optional_number,
    whole: flag,
    entries: list,
    words: list,
    lists: list,
    expected: list,
    set: list,
    unset: list,
  }),
  'change-records': script<'ok' | 'missing' | 'again'>()({
    records: number,
    whole: flag,
    count: optional_text,
    entries: list,
    words: list,
    expected: list,
    absent: list,
    set: list,
    unset: list,
    beside_expected: list,
    beside_absent: list,
    beside_set: list,
    beside_unset: list,
  }),
  'take-record': script<Flat>()({ entries: list, words: list, lists: list, records: list }),
  'write-words': script<0 | 1>()({ words: list }),
  'find-words': script<[next: string, all: number, ...ids: string[]]>()({
    max: number,
    looks: number,
    small: number,
    after: optional_text,
    words: list,
  }),
  'use-record': script<'ok' | 'missing'>()({
    field: text,
    uses: number,
    stays: flag,
    entries: list,
    records: list,
  }),
  'redeem-code': jsonScript<RedeemAnswer>()({
    operation: text,
    access_ttl: number,
    refresh_ttl: number,
    code_digest: text,
    refresh_digest: optional_text,
    refresh_jti: optional_text,
    access_jti: optional_text,
    client_id: text,
    user_lists: text,
    client_list: text,
    bound: list,
    scopes: optional_text,
    idle_ttl: optional_number,
    jkt: optional_text,
    x5t: optional_text,
    binds_refresh: flag,
    resource: optional_text,
    audience: optional_text,
    refresh_scope: optional_text,
    ttls: text,
    details: optional_text,
    noted: optional_text,
  }),
  'withdraw-redemption': script<'ok'>()({ operation: text }),
  'refresh-token': jsonScript<RefreshAnswer>()({
    operation: text,
    client_id: text,
    allowed: text,
    retry_window: number,
    access_ttl: number,
    max_live: number,
    digest: text,
    access_jti: optional_text,
    successor_jti: optional_text,
    answered: optional_text,
    asked: optional_text,
    idle_ttl: optional_number,
    jkt: optional_text,
    x5t: optional_text,
    binds_refresh: flag,
    resource: optional_text,
    audience: optional_text,
    refresh_scope: optional_text,
    ttls: text,
    again: flag,
    details: optional_text,
    noted: optional_text,
  }),
  'withdraw-refresh': script<'ok'>()({ operation: text }),
  'save-client-tokens': script<'ok'>()({ tokens: list }),
  'grant-once': script<number>()({
    jti: text,
    ttls: text,
    access_ttl: number,
    client_id: text,
    scope: text,
    subject: optional_text,
    audience: optional_text,
    jkt: optional_text,
    x5t: optional_text,
    is_jwt: flag,
    entries: list,
    lists: list,
    fields: list,
    act: optional_text,
    noted: optional_text,
  }),
  'use-once': script<number>()({ operation: text, ttls: text, client_id: text, ids: number, records: list }),
  'save-revoked-token': script<'ok' | 'again'>()({ expires: number, entries: list, fields: list }),
  'derive-token': script<['ok' | 'ended' | 'depth' | 'many'] | ['used', position: number]>()({
    jti: text,
    token_type: text,
    ttls: text,
    access_ttl: number,
    client_id: text,
    actor: text,
    scope: text,
    audience: text,
    is_jwt: flag,
    max_live: number,
    max_depth: number,
    max_derived: number,
    entries: list,
    fields: list,
    jkt: optional_text,
    x5t: optional_text,
    actor_token: optional_text,
    noted: optional_text,
  }),
  'note-jwt': script<'ok'>()({ ttl: number, noted: text }),
  'read-noted': script<string[]>()({ after: number, max: number }),
  'present-token': script<['ok' | 'ended'] | ['used', position: number]>()({
    operation: text,
    ttls: text,
    client_id: text,
    is_refresh: flag,
    entries: list,
  }),
  'read-derived': jsonScript<readonly Flat[]>()({ fields: list }),
  'end-derived': script<number>()({ client_id: text, actor: text, max_actors: number, entries: list }),
  'find-token-and-family': jsonScript<[token: Flat, family: Flat]>()({}),
  'find-tokens-and-families': jsonScript<readonly [token: Flat, family: Flat][]>()({}),
  'read-family': jsonScript<[family: Flat, tokens: readonly Flat[]]>()({ max: number }),
  'find-token-by-proof': jsonScript<[token: Flat, family: Flat] | ['used']>()({
    operation: text,
    ttl: number,
    jkt: text,
    is_jwt: flag,
  }),
  'revoke-token': script<[outcome: 'ok' | 'again' | 'missing' | 'mismatch', more?: string]>()({
    digest: optional_text,
    client: list,
    entries: list,
  }),
  'revoke-family': script<[outcome: 'ok' | 'again' | 'missing', more?: string]>()({ entries: list }),
  'end-family': script<[outcome: 'ok' | 'again', more?: string]>()({ ttl: number, entries: list }),
  'mark-revoked': script<string>()({}),
  'revoke-code': script<'ok' | 'missing'>()({}),
  'queue-items': script<'ok'>()({ entries: list, items: list }),
  'offer-item': script<0 | 1>()({ item: text, max: number, ahead: number }),
  'claim-items': script<string[]>()({ max: number, lease: number }),
  'retry-items': script<number>()({ items: list }),
  'put-outbox': script<0 | 1>()({ max: number, ttl: number, items: list }),
  'replace-hash': script<0 | 1>()({ entries: list, expected: list, next: list }),
  'count-failure': script<number[]>()({ window: number, weight: number, room: number, counters: list }),
  'forgive-failure': script<'ok'>()({ counters: list }),
  'clear-failures': script<'ok'>()({ field: text, shared: optional_text }),
  'remember-browser': script<'ok'>()({
    name: text,
    bound_to: text,
    ttl: number,
    max: number,
    replaces: optional_text,
    username: text,
    at: number,
  }),
  'find-browser': script<string>()({ name: text }),
  'register-openly': script<[outcome: 'ok' | 'address' | 'all', ends_in: number]>()({
    address: text,
    of_address: number,
    in_all: number,
    window: number,
    entries: list,
    words: list,
    record: list,
  }),
  'put-bounded': script<'ok'>()({
    ttl: number,
    max: number,
    of_kind: number,
    looked_at: number,
    keep: flag,
    items: list,
    more: list,
  }),
  'read-bounded': script<[name: string, text: string, ends_in: number, more: number][]>()({
    name: optional_text,
    last: optional_number,
  }),
  'drop-bounded': script<0 | 1>()({ name: optional_text, entries: list }),
  'give-evidence': script<'ok'>()({
    digest: text,
    purpose: text,
    browser: text,
    max: number,
    ends_at: number,
    text,
    entries: list,
  }),
  'read-evidence': script<string | null>()({ digest: text }),
  'take-evidence': script<Taken>()({
    digest: text,
    purpose: text,
    step: text,
    browser: text,
    value: text,
    account_state: text,
    entries: list,
  }),
  'append-trail': script<0 | 1>()({ batch: text, keep: number, entries: list }),
  'trim-trail': script<0 | 1>()({ before: text, entries: list }),
  'seal-trail': script<0 | 1>()({ last: text, text, ttl: number }),
}

export type ScriptName = keyof typeof SCRIPTS
export const SCRIPT_NAMES = Object.keys(SCRIPTS) as ScriptName[]
export type ArgsOf<Name extends ScriptName> = (typeof SCRIPTS)[Name]['args']
export type ScriptAnswer<Name extends ScriptName> = NonNullable<(typeof SCRIPTS)[Name]['answer']>

/** Runs a script. */
export type RunScript = <Name extends ScriptName>(
  name: Name,
  keys: readonly string[],
  args: ArgsOf<Name>,
) => Promise<ScriptAnswer<Name>>

/** A script as it is sent, with the order of its arguments. */
interface Prepared extends SentScript {
  readonly header: ScriptHeader
  readonly json: boolean
}

const PREPARED = Object.fromEntries(
  Object.keys(SCRIPTS).map((name) => {
    const { json } = SCRIPTS[name as ScriptName]
    const header = headerOf(textOf(name))
    const lua = sourceOf(name as ScriptName, json)
    const sha = createHash('sha1').update(lua).digest('hex')
    return [name, { header, lua, sha, json, known: new WeakSet() }]
  }),
) as Record<ScriptName, Prepared>

/** Returns the function that runs scripts on a client. It throws errors of the driver. */
export function scriptsOn(client: Redis | Cluster): RunScript {
  const send = (command: ScriptCommand) => client.sendCommand(command) as Promise<unknown>
  return <Name extends ScriptName>(name: Name, keys: readonly string[], args: ArgsOf<Name>) => {
    const script = PREPARED[name]
    const read = (answer: unknown) =>
      (script.json ? JSON.parse(String(answer)) : answer) as ScriptAnswer<Name>
    const list = [script.sha, String(keys.length), ...keys]
    addArguments(list, script.header, args)
    const command = new ScriptCommand(script, list)
    return send(command).then(read, (error: unknown) => {
      // It did not run: SCRIPT FLUSH, or another server behind the same connection.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
      command.forget()
      return send(new ScriptCommand(script, list)).then(read)
    })
  }
}

/** Returns the text of a script after the text of its includes, recursively, each once. */
function sourceOf(name: ScriptName, json: boolean): string {
  const parts = new Map<string, string>()
  const add = (file: string) => {
    if (parts.has(file)) return
    const lua = textOf(file)
    for (const [, helpers = ''] of lua.matchAll(INCLUDE)) {
      for (const helper of helpers.split(', ')) add(`includes/${helper}`)
    }
    parts.set(file, lua.replace(INCLUDE, ''))
  }
  add(name)
  const body = withLocals(parts.get(name) ?? '')
  // An empty list is written as {}.
  parts.set(name, json ? `return cjson.encode((function()\n${body}\nend)())\n` : body)
  return withFields([...parts.values()].join(''))
}

function textOf(file: string): string {
  return readFileSync(new URL(`../scripts/${file}.lua`, import.meta.url), 'utf8')
}
