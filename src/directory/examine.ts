import { randomText } from '../core/token-string.ts'
import { Directory, type DirectoryOptions } from './directory.ts'
import { idOf, textsOf } from './entry.ts'
import { DirectoryFailure } from './failure.ts'
import { type DirectoryGroup, groupNames } from './groups.ts'
import { type Person, type PersonSettings, personOf } from './person.ts'

/** What is wrong with a directory, and what to do: sentences without text of it. */
export interface DirectoryWrong {
  readonly found: string
  readonly advice: string
}

/** The entry of a name, as redmint reads it. */
export interface ExaminedEntry {
  readonly dn: string
  readonly is_disabled: boolean
  /** Undefined: it has no id, so that nobody can sign in by it. */
  readonly person: Person | undefined
  readonly id: string | undefined
  /** What the person is called there, or undefined. */
  readonly username: string | undefined
  /** Undefined: none are read. */
  readonly groups: readonly string[] | undefined
}

/** What was found: `wrong`, or what the directory has for the name. */
export type DirectoryExamination =
  | { readonly wrong: DirectoryWrong }
  | { readonly wrong?: never; readonly entry: ExaminedEntry | 'nobody' | 'several' }

/**
 * Connects with a directory, shows it who redmint is, and looks for a person.
 * @param username absent: for nobody, only to see whether the directory can be used
 */
export async function examineDirectory(
  options: DirectoryOptions & { readonly settings: PersonSettings },
  username?: string,
): Promise<DirectoryExamination> {
  const directory = new Directory(options)
  const { settings } = options
  try {
    return await directory.inTurn(async () => {
      const entry = await directory.find(username ?? randomText(9))
      if (typeof entry === 'string') return { entry }
      const groups = await directory.groupsOf(entry)
      const named = settings.ldap_username_attribute
      return {
        entry: {
          dn: entry.dn,
          is_disabled: directory.isLocked(entry),
          person: personOf(settings, entry, groups),
          id: idOf(entry, settings.ldap_id_attribute)?.text,
          username: textsOf(entry, named)[0],
          groups: namesOf(groups, settings.ldap_groups),
        },
      }
    })
  } catch (error) {
    if (!(error instanceof DirectoryFailure)) throw error
    return { wrong: wordsFor(error, options) }
  } finally {
    directory.close()
  }
}

const namesOf = (groups: readonly DirectoryGroup[] | undefined, setting: string | undefined) =>
  groups && groupNames(groups, setting)

function wordsFor({ problem, detail }: DirectoryFailure, { server }: DirectoryOptions): DirectoryWrong {
  const at = `${server.host}:${server.port}`
  const code = detail === '' ? '' : ` (${detail})`
  switch (problem) {
    case 'unreachable':
      return {
        found: `there is no connection with ${at}${code}`,
        advice: 'Look at LDAP_URL, and whether the directory runs and a firewall lets redmint through.',
      }
    case 'closed':
      return {
        found: `${at} closed the connection`,
        advice: 'Look at LDAP_URL: the ports of ldaps: and ldap: differ.',
      }
    case 'silent':
      return {
        found: `${at} did not answer in time`,
        advice: 'Look at LDAP_URL, and at the load of the directory.',
      }
    case 'certificate':
      return {
        found: `the certificate of ${at} is not accepted${code}`,
        advice: 'Name its authority in LDAP_CA_FILE, and the host in LDAP_URL as the certificate does.',
      }
    case 'starttls':
      return {
        found: `${at} does not begin TLS`,
        advice: 'Turn StartTLS on there, or use ldaps: in LDAP_URL.',
      }
    case 'credentials':
      return {
        found: `${at} does not accept LDAP_BIND_DN with LDAP_BIND_PASSWORD`,
        advice: 'Set both to those of an entry that may look for people.',
      }
    case 'malformed':
      return {
        found: `${at} does not answer as a directory does, or at too great length`,
        advice: 'Look at LDAP_URL: does a directory answer there?',
      }
    case 'partial':
      return {
        found: `${at} has more values of ${detail} for this person than it sends, or than redmint reads`,
        advice:
          'Narrow LDAP_GROUP_FILTER to the groups that count, and use it in place of LDAP_GROUP_ATTRIBUTE.',
      }
    case 'refused':
      return refusal(at, detail)
  }
}

const TOO_MUCH =
  'The directory found more than it gives: narrow LDAP_USER_FILTER and LDAP_GROUP_FILTER, or raise its limits for LDAP_BIND_DN.'

// RFC 4511, appendix A.2.
const REFUSALS: Readonly<Record<string, string>> = {
  '1': 'Set LDAP_BIND_DN: the directory answers nobody whom it does not know.',
  '3': TOO_MUCH,
  '4': TOO_MUCH,
  '11': TOO_MUCH,
  '10': 'Set LDAP_BASE_DN to an entry of this directory: it refers to another one, which is not followed.',
  '32': 'Set LDAP_BASE_DN to an entry that is there, and that LDAP_BIND_DN may see.',
  '34': 'Set LDAP_BASE_DN to a DN, such as dc=example,dc=com.',
  '50': 'Let LDAP_BIND_DN look for people.',
}

function refusal(at: string, code: string): DirectoryWrong {
  return {
    found: `${at} refuses to look for people below LDAP_BASE_DN: result ${code} of RFC 4511`,
    advice: REFUSALS[code] ?? 'Look into the log of the directory.',
  }
}
