import { APPLICATION_FIELDS } from '../../applications/application-fields.ts'
import { APPLICATION } from '../../applications/application-record.ts'
import { issuerProblem } from '../../issuers/issuer-url.ts'
import { invalidField } from '../operation/problem.ts'
import { ALL_RIGHTS } from '../operation/rights.ts'
import { simpleOperations } from '../simple/simple-operations.ts'
import type { SimpleType } from '../simple/simple-type.ts'
import { lintApplication } from './lint.ts'

/** Authorization servers elsewhere, as operators see and set them. */
export const APPLICATIONS: SimpleType<typeof APPLICATION_FIELDS, 'application'> = {
  name: 'other server',
  kind: APPLICATION,
  table: APPLICATION_FIELDS,
  id: 'application',
  read_only: ['managed_by'],
  idOf(url) {
    const problem = issuerProblem(url)
    if (problem !== undefined) throw invalidField('application', `application ${problem}`)
    return url
  },
  async find({ records }, url) {
    const hash = (await records.read(APPLICATION, url))?.hash
    return hash && { id: url, hash }
  },
  base: () => ({}),
  // Whoever takes the assertions knows the people of this server by them.
  rights: ALL_RIGHTS,
  written: (application) => ({ event: 'application_changed', application }),
  removed: (application) => ({ event: 'application_removed', application }),
}

/** What operators do with authorization servers elsewhere. */
export const APPLICATION_OPERATIONS = simpleOperations(APPLICATIONS, {
  path: '/applications',
  article: 'another server that takes identity assertions',
  read: 'redmint:apis:read',
  write: 'redmint:apis:write',
  lint: lintApplication,
})
