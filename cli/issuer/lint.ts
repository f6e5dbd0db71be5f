import { ISSUERS } from '../../src/admin/issuers/issuers.ts'
import { lintIssuer } from '../../src/admin/issuers/lint.ts'
import { scanAll, unlistedFindings } from '../../src/admin/operation/misfit.ts'
import { readPlain } from '../../src/admin/plain/plain-noun.ts'
import { ISSUER } from '../../src/issuers/issuer-kind.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { withHints } from '../errors.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'
import { HINTS } from './show.ts'

/**
 * The command `issuer lint`, for one issuer or for all.
 * @throws Refusal if the one issuer does not exist
 */
export async function lintIssuers(store: RecordStore, issuer: string | undefined): Promise<Report> {
  const issuers =
    issuer === undefined
      ? await scanAll(store, ISSUER)
      : new Map([[issuer, (await withHints(HINTS, readPlain(store, ISSUERS, issuer))).hash]])
  const findings = [...issuers].flatMap(([url, hash]) => lintIssuer(url, hash))
  findings.push(...(await unlistedFindings(store, ISSUER, 'issuer', [...issuers.keys()])))
  return reportFindings('issuer', 'issuer', issuers.size, findings)
}
