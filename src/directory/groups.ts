import { readPairs } from '../config/ldap-settings.ts'

/** A group of a directory: its DN, and the name in it. */
export interface DirectoryGroup {
  readonly dn: string
  readonly name: string
}

// RFC 4514 §2.4: a character, or two hexadecimal digits, after a backslash.
const FIRST = /^\s*[^=]+=((?:\\.|[^\\,+])*)/su
const ESCAPES = /((?:\\[0-9a-f]{2})+)|\\(.)/gisu

/** Returns the group with a DN, by its first attribute, such as `cn`. */
export function groupOfDn(dn: string): DirectoryGroup {
  const [, value = ''] = FIRST.exec(dn) ?? []
  const name = value.replace(ESCAPES, (_, octets: string | undefined, character: string) =>
    octets === undefined ? character : Buffer.from(octets.replaceAll('\\', ''), 'hex').toString(),
  )
  return { dn, name: name.trim() }
}

/**
 * Returns the groups of a person as they are called here, each once.
 * @param setting LDAP_GROUPS; absent: all, by their names
 */
export function groupNames(groups: readonly DirectoryGroup[], setting: string | undefined): string[] {
  const mapped = setting === undefined ? undefined : readPairs(setting)
  const names =
    mapped === undefined
      ? groups.map(({ name }) => name)
      : [...mapped].flatMap(([here, there]) => (groups.some((group) => isCalled(group, there)) ? [here] : []))
  return [...new Set(names)].filter((name) => name !== '').sort()
}

// In a name nothing but a "=" tells that it is a DN.
function isCalled({ dn, name }: DirectoryGroup, there: string): boolean {
  return there.includes('=') ? sameForm(dn) === sameForm(there) : name.toLowerCase() === there.toLowerCase()
}

const sameForm = (dn: string) =>
  dn
    .toLowerCase()
    .replace(/\s*([,=+])\s*/g, '$1')
    .trim()
