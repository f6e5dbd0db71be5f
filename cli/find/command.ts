import type { Command } from 'commander'
import { AdminError, type ProblemCode } from '../../src/admin/operation/problem.ts'
import type { OperationName } from '../../src/admin/operations.ts'
import type { CallInput, Calls } from '../calls.ts'
import { addCommand, atServer } from '../command.ts'
import { EXIT } from '../errors.ts'
import { type Report, table } from '../output.ts'
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
  const [users, clients, providers, groups] = await Promise.all([
    unlessRefused(calls, 'list_users', query),
    unlessRefused(calls, 'list_clients', query),
    unlessRefused(calls, 'list_providers', query),
    unlessRefused(calls, 'list_groups', { query: { q } }),
  ])
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
    ...(json.groups ?? []).map((one) => ['group', one.group, `${one.members} users`, '']),
  ].map((row) => row.map(String))
  const has_more = [users, clients, providers].some((page) => page?.next !== undefined)
  const more = has_more ? ['', `At most ${LIMIT} of a kind are shown: give more of the name.`] : []
  return {
    text:
      rows.length === 0
        ? 'Nothing is found by this.'
        : [table(['KIND', 'ID', 'NAME', 'E-MAIL'], rows), ...more].join('\n'),
    json,
    ...(rows.length === 0 && { exit: EXIT.refused }),
  }
}

/** What the caller may not see, or what is turned off, is left out. */
async function unlessRefused<Name extends OperationName>(calls: Calls, name: Name, input: CallInput<Name>) {
  try {
    return await calls.call(name, input)
  } catch (error) {
    if (error instanceof AdminError && REFUSED.includes(error.code)) return undefined
    throw error
  }
}

const REFUSED: readonly ProblemCode[] = ['missing_scope', 'conflict']
