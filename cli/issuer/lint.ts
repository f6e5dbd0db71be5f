import { lintIssuer } from '../../src/admin/issuers/lint.ts'
import { readAll } from '../../src/admin/misfit.ts'
import { ISSUER } from '../../src/issuers/issuer-kind.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { reportFindings } from '../findings.ts'
import type { Report } from '../output.ts'
import { readIssuer } from './show.ts'

/**
 * The command `issuer lint`, for one issuer or for all.
 * @throws Refusal if the one issuer does not exist
 */
export async function lintIssuers(store: RecordStore, issuer: string | undefined): Promise<Report> {
  const issuers =
    issuer === undefined ? await readAll(store, ISSUER) : new Map([[issuer, await readIssuer(store, issuer)]])
  const findings = [...issuers].flatMap(([url, hash]) => lintIssuer(url, hash))
  return reportFindings('issuer', 'issuer', issuers.size, findings)
}
