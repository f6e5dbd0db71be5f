import { scanAll, unlistedFindings } from '../../src/admin/operation/misfit.ts'
import { readPlain } from '../../src/admin/plain/plain-noun.ts'
import { lintProvider } from '../../src/admin/providers/lint.ts'
import { PROVIDERS } from '../../src/admin/providers/providers.ts'
import { PROVIDER } from '../../src/providers/provider-record.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { withHints } from '../errors.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'
import { HINTS } from './show.ts'

/**
 * The command `provider lint`, for one provider or for all.
 * @throws Refusal if the one provider does not exist
 */
export async function lintProviders(store: RecordStore, provider: string | undefined): Promise<Report> {
  const providers =
    provider === undefined
      ? await scanAll(store, PROVIDER)
      : new Map([[provider, (await withHints(HINTS, readPlain(store, PROVIDERS, provider))).hash]])
  const findings = [...providers].flatMap(([id, hash]) => lintProvider(id, hash))
  findings.push(...(await unlistedFindings(store, PROVIDER, 'provider', [...providers.keys()])))
  return reportFindings('provider', 'provider', providers.size, findings)
}
