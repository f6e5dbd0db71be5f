import type { Command } from 'commander'
import { AdminError, type ProblemCode } from '../../src/admin/operation/problem.ts'
import { type AnswerOf, OPERATIONS, type OperationName } from '../../src/admin/operations.ts'
import { count } from '../../src/core/count.ts'
import type { CallInput, Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import { EXIT, Refusal } from '../errors.ts'
import { listed, type Report } from '../output.ts'
import type { CommandRun, ServerFlags } from '../run.ts'

/** So many of a kind are shown. */
const LIMIT = 20

/** `redmint find` */
export function addFindCommand(program: Command, run: CommandRun): void {
  atServer(
    addCommand(
      program,
      'find <text>',
      'Finds users, clients, providers and groups by the words of their names, addresses and ids, the best first.',
      ['redmint find kowalski', 'redmint find "anna kow" --json'],
    ),
  ).action((text: string, flags: ServerFlags) => run.operate(flags, (calls) => find(calls, text)))
}

async function find(calls: Calls, q: string): Promise<Report> {
  const query = { query: { q }, limit: LIMIT }
  const looks = await Promise.all([
    look(calls, 'list_users', query),
    look(calls, 'list_clients', query),
    look(calls, 'list_providers', query),
    look(calls, 'list_groups', { query: { q } }),
  ])
  const [users, clients, providers, groups] = looks.map(({ page }) => page) as Pages<typeof looks>
  const json = {
    users: users?.items.map(({ username, claims }) => ({
      username,
      name: claims?.name,
      email: claims?.email,
    })),
    clients: clients?.items.map(({ client_id, client_name }) => ({ client_id, client_name })),
    providers: providers?.items.map(({ provider, name }) => ({ provider, name })),
    groups: groups?.items.slice(0, LIMIT),
  }
  const rows = [
    ...(json.users ?? []).map((one) => ['user', one.username, one.name ?? '', one.email ?? '']),
    ...(json.clients ?? []).map((one) => ['client', one.client_id, one.client_name ?? '', '']),
    ...(json.providers ?? []).map((one) => ['provider', one.provider, one.name ?? '', '']),
    ...(json.groups ?? []).map((one) => ['group', one.group, count(one.members, 'user'), '']),
  ].map((row) => row.map(String))
  const unseen = unseenText(looks)
  if (rows.length === 0 && looks.every(({ page }) => page === undefined)) throw new Refusal(unseen.join('\n'))
  const has_more =
    [users, clients, providers].some((page) => page?.next !== undefined) ||
    (groups !== undefined && (groups.is_cut || groups.items.length > LIMIT))
  const none = 'Nothing is found by this.'
  const lines = [
    listed(['KIND', 'ID', 'NAME', 'E-MAIL'], rows, { none, noun: 'record' }),
    ...(has_more ? [`At most ${LIMIT} of a kind are shown: give more of the name.`] : []),
    ...unseen,
  ]
  return { text: lines.join('\n'), json, ...(rows.length === 0 && { exit: EXIT.refused }) }
}

/** The operations that look, with what each looks in. */
const LOOKED_IN = {
  list_users: 'users',
  list_clients: 'clients',
  list_providers: 'providers',
  list_groups: 'groups',
} as const satisfies Partial<Record<OperationName, string>>
type Look = keyof typeof LOOKED_IN

/** What a look found, or why there was none. */
interface Looked<Name extends Look> {
  readonly name: Name
  readonly page?: AnswerOf<Name>
  readonly refusal?: AdminError
}

type Pages<Looks extends readonly Looked<Look>[]> = { [Index in keyof Looks]: Looks[Index]['page'] }

/** What the caller may not see, or what is turned off, is not looked in. */
async function look<Name extends Look>(
  calls: Calls,
  name: Name,
  input: CallInput<Name>,
): Promise<Looked<Name>> {
  try {
    return { name, page: await calls.call(name, input) }
  } catch (error) {
    if (error instanceof AdminError && REFUSED.includes(error.code)) return { name, refusal: error }
    throw error
  }
}

const REFUSED: readonly ProblemCode[] = ['missing_scope', 'conflict']

/** Says in which kinds was not looked, and which rights that takes; what is turned off is not there to be found. */
function unseenText(looks: readonly Looked<Look>[]): string[] {
  const by_scope = new Map<string, string[]>()
  for (const { name, refusal } of looks) {
    if (refusal?.code !== 'missing_scope') continue
    const { scope } = OPERATIONS[name]
    by_scope.set(scope, [...(by_scope.get(scope) ?? []), LOOKED_IN[name]])
  }
  return [...by_scope].map(
    ([scope, kinds]) => `Not looked in ${kinds.join(' and ')}: that takes the right ${scope}.`,
  )
}
