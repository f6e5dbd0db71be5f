import type { GroupSettings } from '../../src/accounts/client-access.ts'
import type { LintSettings } from '../../src/admin/clients/lint.ts'
import { lintClient } from '../../src/admin/clients/lint.ts'
import { accessWarningsOf } from '../../src/admin/clients/lint-access.ts'
import { findingsOf } from '../../src/admin/findings.ts'
import { readAll } from '../../src/admin/misfit.ts'
import { findShortSecrets } from '../../src/clients/authentication/secret-uses.ts'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import { shellWord } from '../../src/core/shell-word.ts'
import { ISSUER } from '../../src/issuers/issuer-kind.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'
import { readClient } from './show.ts'

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
      ? await readAll(store, CLIENT)
      : new Map([[client_id, await readClient(store, client_id)]])
  const isShort = await findShortSecrets(store)
  const findings = [...clients].flatMap(([id, hash]) => lintClient(id, hash, settings, isShort, now))
  for (const [id, { assertion_issuer } = {}] of clients) {
    if (!assertion_issuer || (await store.records.read(ISSUER, assertion_issuer)) !== undefined) continue
    const problem = `is not trusted, so nobody can authenticate by it: redmint issuer add ${shellWord(assertion_issuer)}`
    findings.push(...findingsOf({ client_id: id }, [], [{ field: 'assertion_issuer', problem }]))
  }
  for (const [id, warnings] of await accessWarningsOf(store, clients, settings)) {
    findings.push(...findingsOf({ client_id: id }, [], warnings))
  }
  return reportFindings('client', 'client_id', clients.size, findings)
}
