import type { Command } from 'commander'
import { APPLICATION } from '../src/applications/application-record.ts'
import { CLIENT } from '../src/clients/record/client-kind.ts'
import { count } from '../src/core/count.ts'
import { DETAIL_TYPE } from '../src/details/detail-type.ts'
import { consentLists } from '../src/interaction/consent.ts'
import { ISSUER } from '../src/issuers/issuer-kind.ts'
import { PROVIDER } from '../src/providers/provider-record.ts'
import { RESOURCE } from '../src/resources/resource-record.ts'
import { sessionLists } from '../src/sessions/session-lists.ts'
import { fitIndexes, type Index, listOf } from '../src/storage/indexes.ts'
import { grantLists } from '../src/tokens/grant-lists.ts'
import { userIndex } from '../src/users/user-index.ts'
import { USER } from '../src/users/user-kind.ts'
import { addCommand, onHost } from './command.ts'
import type { Report } from './output.ts'
import type { CommandContext, CommandRun } from './run.ts'

/** The list of each kind of record, and its other indexes. */
const INDEXES = {
  client: ({ storage }) => [listOf(storage, CLIENT)],
  user: ({ storage, config, now }) => [
    listOf(storage, USER),
    userIndex(storage),
    sessionLists(storage),
    grantLists(storage, now),
    consentLists(storage, config.settings.consent_ttl, now),
  ],
  resource: ({ storage }) => [listOf(storage, RESOURCE)],
  'detail-type': ({ storage }) => [listOf(storage, DETAIL_TYPE)],
  issuer: ({ storage }) => [listOf(storage, ISSUER)],
  application: ({ storage }) => [listOf(storage, APPLICATION)],
  provider: ({ storage }) => [listOf(storage, PROVIDER)],
} as const satisfies Readonly<Record<string, (context: CommandContext) => readonly Index[]>>

/** Adds the command `reindex` for a kind: makes its list, and its other indexes, fit all records. */
export function addReindexCommand(
  parent: Command,
  run: CommandRun,
  kind: keyof typeof INDEXES,
  about = `Repairs the list of ${kind}s, after records were written with redis-cli while no server ran.`,
): void {
  const command = addCommand(parent, 'reindex', about, [`redmint ${kind} reindex`])
  onHost(command, run, 'A server that runs repairs its lists by itself.').action((flags: { json?: true }) =>
    run.execute(flags, (context) => reindex(kind, context)),
  )
}

async function reindex(kind: keyof typeof INDEXES, context: CommandContext): Promise<Report> {
  const total = await fitIndexes(context.storage, INDEXES[kind](context))
  return {
    text: `The index fits the ${kind}s: ${count(total.added, 'name')} added, ${total.removed} removed.`,
    json: total,
  }
}
