import { type Finding, findingsOf } from '../../src/admin/doctor/finding.ts'
import { StorageUnavailable } from '../../src/storage/errors.ts'

/** Returns findings, or that they could not be made: the rights of the user of Redis have a finding of their own. */
export async function readable(check: string, make: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return [findingsOf(check).warning('could not be read', 'See the findings about Redis.')]
  }
}
