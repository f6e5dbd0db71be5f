import { askDirectory } from '../admin/directory.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Settings } from '../config/settings.ts'
import { type Finding, findingsOf } from '../service/finding.ts'

/** Returns the finding about the directory: whether redmint may look for people there. */
export async function directoryFinding(settings: Settings): Promise<Finding> {
  const { ok, problem } = findingsOf('directory')
  if (settings.ldap_url === undefined) return ok('LDAP_URL is not set: nobody is looked for')
  try {
    const { at, found } = await askDirectory({ settings, now: Date.now })
    return found.wrong === undefined
      ? ok(`${at} finds people`)
      : problem(found.wrong.found, found.wrong.advice)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return problem(error.problems.join('; '), 'Correct it where the servers have it, too.')
  }
}
