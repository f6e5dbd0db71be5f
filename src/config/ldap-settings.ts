import { claimNameProblem, STANDARD_CLAIM_NAMES } from '../core/custom-claims.ts'
import { isLoopbackHost, isUrl } from '../core/uri.ts'

/** The settings of a directory. */
export interface LdapSettings {
  readonly sign_in: string
  readonly ldap_url?: string
  readonly ldap_tls: 'required' | 'off'
  readonly ldap_base_dn?: string
  readonly ldap_bind_dn?: string
  readonly ldap_bind_password?: string
  readonly ldap_user_filter: string
  readonly ldap_username_attribute: string
  readonly ldap_id_attribute: string
  readonly ldap_claims: string
  readonly ldap_group_attribute?: string
  readonly ldap_group_filter?: string
  readonly ldap_groups?: string
  readonly groups_claim: string
  readonly sign_up: 'off' | 'open'
}

/** Where a directory answers. */
export interface DirectoryServer {
  readonly host: string
  readonly port: number
  /** TLS from the first byte on, after StartTLS (RFC 4511 §4.14), or none. */
  readonly tls: 'implicit' | 'starttls' | 'none'
}

/** Whether people sign in with the name and password that a directory knows. */
export const hasDirectory = ({ sign_in }: Pick<LdapSettings, 'sign_in'>): boolean =>
  sign_in === 'directory' || sign_in === 'password,directory'

/** Whether nobody signs in with a password of redmint. */
export const isDirectoryAlone = ({ sign_in }: Pick<LdapSettings, 'sign_in'>): boolean =>
  sign_in === 'directory'

const PORTS = { 'ldaps:': 636, 'ldap:': 389 } as const

/** Reads where the directory answers; undefined if LDAP_URL is absent or malformed. */
export function readDirectoryServer({
  ldap_url = '',
  ldap_tls,
}: Pick<LdapSettings, 'ldap_url' | 'ldap_tls'>): DirectoryServer | undefined {
  if (/[\s\\"'<>#?@]/.test(ldap_url) || !isUrl(ldap_url)) return undefined
  const { protocol, hostname, port, pathname } = new URL(ldap_url)
  if (protocol !== 'ldaps:' && protocol !== 'ldap:') return undefined
  if (hostname === '' || port === '0' || !['', '/'].includes(pathname)) return undefined
  return {
    // An IPv6 address is in brackets.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORTS[protocol] : Number(port),
    tls: protocol === 'ldaps:' ? 'implicit' : ldap_tls === 'off' ? 'none' : 'starttls',
  }
}

/**
 * Reads `name=value;name=value`. A value may have a "=": that of a group may be a DN.
 * @returns undefined if it is malformed, or has a name twice
 */
export function readPairs(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = text.split(';').map((part) => {
    const [name = '', ...values] = part.split('=')
    return [name.trim(), values.join('=').trim()] as const
  })
  const found = new Map(pairs)
  return pairs.every(([name, value]) => name !== '' && value !== '') && found.size === pairs.length
    ? found
    : undefined
}

type Field = keyof LdapSettings
type Problem = [field: Field, problem: string]

/** Returns the invalid settings of a directory, each with its problem. */
export function ldapProblems(settings: LdapSettings, nameOf: (field: Field) => string): Problem[] {
  const problems: Problem[] = []
  for (const field of ['ldap_url', 'ldap_base_dn'] as const) {
    if (hasDirectory(settings) && settings[field] === undefined)
      problems.push(['sign_in', `is ${settings.sign_in}, which needs ${nameOf(field)}`])
  }
  if (isDirectoryAlone(settings) && settings.sign_up === 'open')
    problems.push(['sign_up', 'is open, but nobody could sign in: accounts come from the directory'])
  return [
    ...problems,
    ...urlProblems(settings, nameOf),
    ...bindProblems(settings, nameOf),
    ...readingProblems(settings),
  ]
}

function urlProblems(settings: LdapSettings, nameOf: (field: Field) => string): Problem[] {
  const { ldap_url, ldap_tls } = settings
  if (ldap_url === undefined) return []
  const server = readDirectoryServer(settings)
  if (server === undefined) {
    return [['ldap_url', 'must be ldaps://host:636 or ldap://host:389, without user, path and query']]
  }
  if (ldap_tls === 'required') return []
  if (server.tls === 'implicit')
    return [['ldap_tls', `is off, but ${nameOf('ldap_url')} is ldaps: remove one of the two`]]
  // Whoever reads the network would read every password.
  return isLoopbackHost(new URL(ldap_url).hostname)
    ? []
    : [['ldap_tls', 'must be required: without TLS a directory is asked on loopback only']]
}

function bindProblems(settings: LdapSettings, nameOf: (field: Field) => string): Problem[] {
  const { ldap_bind_dn, ldap_bind_password } = settings
  if ((ldap_bind_dn === undefined) === (ldap_bind_password === undefined)) return []
  const [present, absent] =
    ldap_bind_dn === undefined
      ? (['ldap_bind_password', 'ldap_bind_dn'] as const)
      : (['ldap_bind_dn', 'ldap_bind_password'] as const)
  return [[present, `needs ${nameOf(absent)}: set both`]]
}

/** What the name of an attribute is made of (RFC 4512 §2.5); its options are not supported, and a DN is none. */
const ATTRIBUTE = /^(?!dn$)[A-Za-z][A-Za-z0-9-]{0,63}$/i

function readingProblems(settings: LdapSettings): Problem[] {
  const { ldap_user_filter, ldap_claims, ldap_groups } = settings
  const problems: Problem[] = []
  if (!ldap_user_filter.includes('{username}'))
    problems.push(['ldap_user_filter', 'must have {username} where the name that people type belongs'])
  for (const field of ['ldap_username_attribute', 'ldap_id_attribute', 'ldap_group_attribute'] as const) {
    const attribute = settings[field]
    if (attribute !== undefined && !ATTRIBUTE.test(attribute))
      problems.push([field, 'must be the name of an attribute, such as uid'])
  }
  const claims = readPairs(ldap_claims)
  const is_of_attributes = claims !== undefined && [...claims.values()].every((name) => ATTRIBUTE.test(name))
  if (!is_of_attributes)
    problems.push(['ldap_claims', 'must be claim=attribute;claim=attribute, each claim once'])
  for (const name of claims?.keys() ?? []) {
    const problem = mappedProblem(name, settings)
    if (problem !== undefined) problems.push(['ldap_claims', `has ${JSON.stringify(name)}, which ${problem}`])
  }
  if (ldap_groups !== undefined && readPairs(ldap_groups) === undefined)
    problems.push(['ldap_groups', 'must be group=name;group=DN, each group once'])
  return problems
}

const STANDARD: ReadonlySet<string> = new Set(STANDARD_CLAIM_NAMES)

function mappedProblem(name: string, { groups_claim }: LdapSettings): string | undefined {
  if (name === groups_claim) return 'has the groups: see LDAP_GROUP_ATTRIBUTE and LDAP_GROUP_FILTER'
  if (name.endsWith('_verified')) return 'is no matter of an attribute: see LDAP_EMAIL_VERIFIED'
  return STANDARD.has(name) ? undefined : claimNameProblem(name)
}
