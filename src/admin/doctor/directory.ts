import { ConfigError } from '../../config/config-error.ts'
import type { Settings } from '../../config/settings.ts'
import { type Finding, findingsOf } from './finding.ts'

/** Returns the finding about the directory: whether redmint may look for people there. */
export async function directoryFinding(settings: Settings): Promise<Finding> {
  const { ok, problem } = findingsOf('directory')
  if (settings.ldap_url === undefined) return ok('LDAP_URL is not set: nobody is looked for')
  const [{ examineDirectory }, { readDirectoryOptions }] = await Promise.all([
    import('../../directory/examine.ts'),
    import('../../directory/read-options.ts'),
  ])
  try {
    const options = { ...(await readDirectoryOptions(settings)), settings, now: Date.now }
    const { wrong } = await examineDirectory(options)
    const { host, port } = options.server
    return wrong === undefined ? ok(`${host}:${port} finds people`) : problem(wrong.found, wrong.advice)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return problem(error.problems.join('; '), 'Correct it where the servers have it, too.')
  }
}
