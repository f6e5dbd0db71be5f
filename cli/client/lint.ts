import type { GroupSettings } from '../../src/accounts/client-access.ts'
import { issuerWarnings, type LintSettings, lintClient } from '../../src/admin/clients/lint.ts'
import { accessWarningsOf } from '../../src/admin/clients/lint-access.ts'
import { readClient } from '../../src/admin/clients/noun.ts'
import { findingsOf } from '../../src/admin/findings.ts'
import { scanAll, unlistedFindings } from '../../src/admin/misfit.ts'
import { findShortSecrets } from '../../src/clients/authentication/secret-uses.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { withHints } from '../errors.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'
import { hintsFor } from './show.ts'

/**
 * The command `client lint`, for one client or for all.
 * @throws Refusal if the one client does not exist
 */
export async function lintClients(
  store: RecordStore,
  client_id: string | undefined,
  settings: LintSettings & GroupSettings,
  now: number,
): Promise<Report> {
  const clients =
    client_id === undefined
      ? await scanAll(store, CLIENT)
      : new Map([[client_id, await withHints(hintsFor(client_id), readClient(store, client_id))]])
  const isShort = await findShortSecrets(store)
  const findings = [...clients].flatMap(([id, hash]) => lintClient(id, hash, settings, isShort, now))
  for (const [id, hash] of clients) findings.push(...(await issuerWarnings(store, id, hash)))
  for (const [id, warnings] of await accessWarningsOf(store, clients, settings)) {
    findings.push(...findingsOf({ client_id: id }, [], warnings))
  }
  findings.push(...(await unlistedFindings(store, CLIENT, 'client_id', [...clients.keys()])))
  return reportFindings('client', 'client_id', clients.size, findings)
}
