import { issuerWarnings, lintClient } from '../../src/admin/clients/lint.ts'
import { accessWarningsOf } from '../../src/admin/clients/lint-access.ts'
import { readClient } from '../../src/admin/clients/noun.ts'
import { type Finding, findingsOf } from '../../src/admin/operation/findings.ts'
import { scanAll, unlistedFindings } from '../../src/admin/operation/misfit.ts'
import { findShortSecrets } from '../../src/clients/authentication/secret-uses.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { Calls } from '../calls.ts'
import type { CommandContext } from '../command-context.ts'
import { UsageError, withHints } from '../errors.ts'
import { reportFindings } from '../findings.ts'
import { problemOf } from '../from-answer.ts'
import type { Report } from '../output.ts'
import { hintsFor } from './show.ts'

/**
 * The command `client lint`, for one client or for all.
 * @throws Refusal if the one client does not exist; UsageError for all at a server
 */
export async function lintClients(calls: Calls, client_id: string | undefined): Promise<Report> {
  if (calls.host !== undefined) return lintStored(calls.host, client_id)
  if (client_id === undefined)
    throw new UsageError('All records are checked on Redis only: name one client, or leave --server out.')
  const findings = await findingsAbout(calls, client_id)
  return reportFindings('client', 'client_id', 1, findings)
}

/** Returns what a server finds in one client. @throws AdminError `not_found` */
export async function findingsAbout({ call }: Calls, client_id: string): Promise<Finding<'client_id'>[]> {
  const linting = call('lint_client', { params: { client_id } })
  const { findings } = await withHints(hintsFor(client_id), linting)
  return findings.map(({ level, field, detail }) => ({ level, client_id, ...problemOf(field, detail) }))
}

async function lintStored(
  { storage: store, config: { settings }, now }: CommandContext,
  client_id: string | undefined,
): Promise<Report> {
  const clients =
    client_id === undefined
      ? await scanAll(store, CLIENT)
      : new Map([[client_id, await withHints(hintsFor(client_id), readClient(store, client_id))]])
  const isShort = await findShortSecrets(store)
  const findings = [...clients].flatMap(([id, hash]) => lintClient(id, hash, settings, isShort, now()))
  for (const [id, hash] of clients) findings.push(...(await issuerWarnings(store, id, hash)))
  for (const [id, warnings] of await accessWarningsOf(store, clients, settings)) {
    findings.push(...findingsOf({ client_id: id }, [], warnings))
  }
  findings.push(...(await unlistedFindings(store, CLIENT, 'client_id', [...clients.keys()])))
  return reportFindings('client', 'client_id', clients.size, findings)
}
