import { readFile } from 'node:fs/promises'
import { ConfigError } from '../config/config-error.ts'
import { readDirectoryServer, readPairs } from '../config/ldap-settings.ts'
import type { Settings } from '../config/settings.ts'
import type { DirectoryOptions } from './directory.ts'
import { dnForm } from './dn.ts'
import { filterOf } from './filters.ts'
import { claimAttributes } from './person.ts'

/**
 * Reads what a directory is asked with: the settings, and the file of authorities.
 * @throws ConfigError if a filter is malformed, or the file cannot be used
 */
export async function readDirectoryOptions(
  settings: Settings,
): Promise<Omit<DirectoryOptions, 'now' | 'timing'>> {
  const { ldap_ca_file } = settings
  const server = readDirectoryServer(settings)
  const problems = [
    ...(server === undefined ? ['LDAP_URL must be set'] : []),
    ...filterProblems('LDAP_USER_FILTER', settings.ldap_user_filter),
    ...filterProblems('LDAP_GROUP_FILTER', settings.ldap_group_filter),
    ...groupProblems(settings.ldap_groups),
  ]
  const ca = ldap_ca_file === undefined ? undefined : await readAuthorities(ldap_ca_file, problems)
  if (server === undefined || problems.length > 0) throw new ConfigError(problems)
  return {
    settings,
    server: { ...server, ...(ca !== undefined && { ca }) },
    attributes: claimAttributes(settings),
  }
}

function filterProblems(name: string, filter: string | undefined): string[] {
  try {
    if (filter !== undefined) filterOf(filter, { username: 'a', dn: 'cn=a' })
    return []
  } catch {
    return [`${name} is not a filter (RFC 4515), such as (uid={username})`]
  }
}

function groupProblems(setting: string | undefined): string[] {
  const named = [...((setting === undefined ? undefined : readPairs(setting))?.values() ?? [])]
  return named
    .filter((group) => group.includes('=') && dnForm(group) === undefined)
    .map((group) => `LDAP_GROUPS has ${JSON.stringify(group)}, which is not a DN (RFC 4514)`)
}

async function readAuthorities(file: string, problems: string[]): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  problems.push('LDAP_CA_FILE must be a file that can be read, with certificates in PEM')
  return undefined
}
