import { readPairs } from '../config/ldap-settings.ts'
import type { Settings } from '../config/settings.ts'
import { readClaimValue } from '../core/custom-claims.ts'
import { type EmailAddress, readEmail } from '../core/email-address.ts'
import type { Log } from '../core/log.ts'
import type { Hash } from '../core/record-hash.ts'
import { nameForm } from '../core/visible-text.ts'
import { customClaimField } from '../users/custom-claims.ts'
import { linkOf } from '../users/sign-in-names.ts'
import { isStandardClaim, readClaimText } from '../users/standard-claims.ts'
import { DIRECTORY_LINKS } from '../users/user-fields.ts'
import type { User } from '../users/user-record.ts'
import type { Directory } from './directory.ts'
import { idOf, type ReadEntry, textsOf } from './entry.ts'
import { type DirectoryGroup, groupNames } from './groups.ts'

/** What a directory says of a person, as far as it is taken over. */
export interface Person {
  /** Who it is: the id of the entry, never a name or an address. */
  readonly link: string
  /** What the person is called there; undefined: it has no name. */
  readonly username: string | undefined
  readonly email: EmailAddress | undefined
  /** Other claims and the groups, as fields of the record of a user. */
  readonly fields: Hash
}

export type PersonSettings = Pick<
  Settings,
  'ldap_id_attribute' | 'ldap_username_attribute' | 'ldap_claims' | 'ldap_groups' | 'groups_claim'
>

/** Returns the attributes that claims are read from. */
export function claimAttributes({ ldap_claims }: Pick<Settings, 'ldap_claims'>): string[] {
  return [...(readPairs(ldap_claims)?.values() ?? [])]
}

/**
 * Returns what the entry of a person says; undefined: it has no id.
 * @param groups undefined: none are read
 */
export function personOf(
  settings: PersonSettings,
  entry: ReadEntry,
  groups: readonly DirectoryGroup[] | undefined,
): Person | undefined {
  const id = idOf(entry, settings.ldap_id_attribute)
  if (id === undefined) return undefined
  const [username] = textsOf(entry, settings.ldap_username_attribute).map(nameForm)
  const claims = [...(readPairs(settings.ldap_claims) ?? [])]
  const address = claims.find(([name]) => name === 'email')?.[1]
  const addresses = address === undefined ? [] : textsOf(entry, address).map(readEmail)
  const fields = claims
    .filter(([name]) => name !== 'email')
    .flatMap(([name, attribute]) => fieldOf(name, textsOf(entry, attribute)))
  return {
    link: linkOfId(id.text),
    username,
    email: addresses.find((one) => one !== undefined),
    fields: Object.fromEntries([
      ...fields,
      ...(groups === undefined
        ? []
        : [
            [
              customClaimField(settings.groups_claim),
              JSON.stringify(groupNames(groups, settings.ldap_groups)),
            ],
          ]),
    ]),
  }
}

/** Reads what an entry says, its groups included; undefined: it has no id, which the log says. @throws DirectoryFailure */
export async function readPerson(
  { settings, log }: { readonly settings: PersonSettings; readonly log: Log },
  directory: Directory,
  entry: ReadEntry,
): Promise<Person | undefined> {
  const person = personOf(settings, entry, await directory.groupsOf(entry))
  const { ldap_id_attribute: attribute } = settings
  if (person === undefined) log.warn({ attribute }, 'The entry of a person has no id: see LDAP_ID_ATTRIBUTE.')
  return person
}

/** Returns the link of an account to the entry with an id. */
const linkOfId = (id: string): string => linkOf(DIRECTORY_LINKS, id)

/** Returns the id of the entry that an account is linked to; undefined: it belongs to no directory. */
export function idOfUser({ linked_subjects = [] }: Pick<User, 'linked_subjects'>): string | undefined {
  const prefix = linkOfId('')
  const link = linked_subjects.find((one) => one.startsWith(prefix))
  return link && decodeURIComponent(link.slice(prefix.length))
}

/** A value that a claim cannot have is left out: one entry of a directory must not lock its person out. */
function fieldOf(name: string, values: readonly string[]): [string, string][] {
  const [first, ...others] = values
  if (first === undefined) return []
  if (isStandardClaim(name)) {
    const read = readClaimText(name, first)
    return 'text' in read ? [[name, read.text]] : []
  }
  const value = others.length === 0 ? first : values
  return 'value' in readClaimValue(value) ? [[customClaimField(name), JSON.stringify(value)]] : []
}
