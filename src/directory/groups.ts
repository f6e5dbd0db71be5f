import { readPairs } from '../config/ldap-settings.ts'
import { dnForm, readDn } from './dn.ts'

/** A group of a directory: its DN, and the name in it. */
export interface DirectoryGroup {
  readonly dn: string
  readonly name: string
}

/** Returns the group with a DN, by its first attribute, such as `cn`. */
export function groupOfDn(dn: string): DirectoryGroup {
  return { dn, name: readDn(dn)?.[0]?.[0]?.value ?? '' }
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
  if (!there.includes('=')) return name.toLowerCase() === there.toLowerCase()
  const form = dnForm(there)
  return form !== undefined && form === dnForm(dn)
}
