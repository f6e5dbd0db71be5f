import { type Finding, findingsOf } from '../../service/finding.ts'
import { StorageUnavailable } from '../../storage/errors.ts'

/** Returns findings, or that they could not be made: the rights of the user of Redis have a finding of their own. */
export async function readable(
  make: () => Promise<Finding[]>,
  ...about: Parameters<typeof findingsOf>
): Promise<Finding[]> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return [findingsOf(...about).warning('could not be read', 'See the findings about Redis.')]
  }
}
