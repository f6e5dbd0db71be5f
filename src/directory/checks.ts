import { ConfigError } from '../config/config-error.ts'
import type { Settings } from '../config/settings.ts'
import { nameForm } from '../core/visible-text.ts'
import type { DoctorCheck, ExaminedInstallation } from '../service/check.ts'
import { type Finding, findingsOf } from '../service/finding.ts'
import type { DirectoryExamination } from './examine.ts'

/**
 * Asks the directory of the settings.
 * @param username absent: nobody is looked for
 * @throws ConfigError if it is not set, or in a way that it cannot be asked
 */
export async function askDirectory(
  { settings, now }: Pick<ExaminedInstallation, 'settings' | 'now'>,
  username?: string,
): Promise<{ readonly at: string; readonly found: DirectoryExamination }> {
  // Loaded only where there is a directory.
  const [{ examineDirectory }, { readDirectoryOptions }] = await Promise.all([
    import('./examine.ts'),
    import('./read-options.ts'),
  ])
  const options = { ...(await readDirectoryOptions(settings)), settings, now }
  const { host, port } = options.server
  return { at: `${host}:${port}`, found: await examineDirectory(options, username && nameForm(username)) }
}

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

/** The check of the directory. */
export const DIRECTORY_CHECKS: readonly DoctorCheck[] = [
  {
    names: ['directory'],
    outside: true,
    look: async ({ settings }) => [await directoryFinding(settings)],
  },
]
