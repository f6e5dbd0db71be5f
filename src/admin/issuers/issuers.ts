import type { Settings } from '../../config/settings.ts'
import { ISSUER_FIELDS } from '../../issuers/issuer-fields.ts'
import { ISSUER } from '../../issuers/issuer-kind.ts'
import { issuerProblem } from '../../issuers/issuer-url.ts'
import { invalidField } from '../operation/problem.ts'
import { ALL_RIGHTS } from '../operation/rights.ts'
import { simpleOperations } from '../simple/simple-operations.ts'
import type { SimpleType } from '../simple/simple-type.ts'
import { lintIssuer } from './lint.ts'

/** Trusted issuers, as operators see and set them. */
export const ISSUERS: SimpleType<typeof ISSUER_FIELDS, 'issuer'> = {
  name: 'trusted issuer',
  kind: ISSUER,
  table: ISSUER_FIELDS,
  id: 'issuer',
  read_only: ['managed_by'],
  idOf(url) {
    const problem = issuerProblem(url)
    if (problem !== undefined) throw invalidField('issuer', `issuer ${problem}`)
    return url
  },
  async find({ records }, url) {
    const hash = (await records.read(ISSUER, url))?.hash
    return hash && { id: url, hash }
  },
  base: () => ({}),
  rights: ALL_RIGHTS,
  written: (issuer) => ({ event: 'issuer_trusted', issuer }),
  removed: (issuer) => ({ event: 'issuer_removed', issuer }),
}

/** Returns why no assertion counts at a server with these settings. */
export function assertionsOff({ trusted_issuers }: Partial<Settings>): string | undefined {
  return trusted_issuers === false
    ? 'TRUSTED_ISSUERS is not set here: servers accept assertions only with TRUSTED_ISSUERS=true.'
    : undefined
}

/** What operators do with trusted issuers. */
export const ISSUER_OPERATIONS = simpleOperations(ISSUERS, {
  path: '/issuers',
  article: 'a trusted issuer',
  read: 'redmint:apis:read',
  write: 'redmint:apis:write',
  lint: lintIssuer,
  off: assertionsOff,
})
