import { type Finding, findingsOf } from '../../src/admin/doctor/finding.ts'
import { ConfigError } from '../../src/config/config-error.ts'
import type { Settings } from '../../src/config/settings.ts'

/** Returns the finding about the directory: whether redmint may look for people there. */
export async function directoryFinding(settings: Settings): Promise<Finding> {
  const { ok, problem } = findingsOf('directory')
  if (settings.ldap_url === undefined) return ok('LDAP_URL is not set: nobody is looked for')
  const [{ examineDirectory }, { readDirectoryOptions }] = await Promise.all([
    import('../../src/directory/examine.ts'),
    import('../../src/directory/read-options.ts'),
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
