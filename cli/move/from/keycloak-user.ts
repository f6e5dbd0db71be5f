import { claimNameProblem } from '../../../src/core/custom-claims.ts'
import { isStandardClaim } from '../../../src/users/standard-claims.ts'
import type { ConversionContext, Converted } from './converted.ts'
import { type Demands, readActions } from './keycloak-actions.ts'
import { readCredentials } from './keycloak-credentials.ts'
import { Members } from './members.ts'
import { Notes } from './notes.ts'

/** The claims that the scopes of Keycloak make of attributes, unless somebody changes them. */
const CLAIMS: Readonly<Record<string, string>> = {
  middleName: 'middle_name',
  phoneNumber: 'phone_number',
  phoneNumberVerified: 'phone_number_verified',
}

/** Converts a user of a realm. */
export function convertUser(
  place: string,
  id: string,
  value: unknown,
  { groups_claim, now }: ConversionContext,
): Converted {
  const notes = new Notes()
  const user = new Members(value, notes)
  user.ignore('username')
  const demands = readActions(user)
  const credentials = readCredentials(user, now, demands)
  const members = {
    username: id,
    ...takeSub(user),
    ...(user.flag('enabled') === false && { disabled: true }),
    ...credentials.members,
    claims: { ...names(user), ...email(user, demands), ...attributes(user), ...groups(user, groups_claim) },
  }
  user.lose('redmint has groups, and no roles', 'realmRoles', 'clientRoles')
  user.lose(
    'links to other providers are not taken over: set a password, or send a link',
    'federatedIdentities',
    'federationLink',
  )
  user.lose('consents name clients by their keys in Keycloak: people are asked once more', 'clientConsents')
  user.ignore(
    'createdTimestamp',
    'totp',
    'disableableCredentialTypes',
    'notBefore',
    'access',
    'self',
    'origin',
  )
  user.finish()
  const { factors } = credentials
  return { kind: 'user', place, id, members, ...(factors && { factors }), notes }
}

// Keycloak's tokens have it as sub.
function takeSub(user: Members): { sub?: string } {
  const sub = user.text('id')
  if (sub === undefined) {
    user.changed('id', 'the file has none: the user gets a new sub')
    return {}
  }
  user.kept('id')
  return { sub }
}

function names(user: Members): Record<string, string> {
  const [given_name, family_name] = [user.text('firstName'), user.text('lastName')]
  if (given_name !== undefined) user.kept('firstName')
  if (family_name !== undefined) user.kept('lastName')
  const name = [given_name, family_name].filter((part) => part !== undefined).join(' ')
  return { ...(given_name && { given_name }), ...(family_name && { family_name }), ...(name && { name }) }
}

function email(user: Members, { unverified_email }: Demands): Record<string, unknown> {
  const address = user.text('email')
  const email_verified = user.flag('emailVerified') === true && !unverified_email
  if (address === undefined) return {}
  user.kept('email')
  user.kept('emailVerified')
  return { email: address, ...(email_verified && { email_verified }) }
}

function groups(user: Members, groups_claim: string): Record<string, unknown> {
  const paths = user.texts('groups')
  if (paths.length === 0) return {}
  user.changed('groups', `they are in the claim ${groups_claim}, as paths such as ${paths[0]}`)
  return { [groups_claim]: paths }
}

function attributes(user: Members): Record<string, unknown> {
  const given = user.object('attributes')
  const claims: Record<string, unknown> = {}
  for (const name of given.names) {
    const values = given.texts(name)
    const claim = CLAIMS[name] ?? name
    const is_standard = isStandardClaim(claim)
    const problem = is_standard ? undefined : claimNameProblem(claim)
    if (values.length === 0) continue
    if (problem !== undefined) {
      given.lost(name, problem)
      continue
    }
    claims[claim] = claimValue(claim, values)
    if (is_standard) given.kept(name)
    else given.changed(name, `it is the custom claim ${claim}: set SCOPE_CLAIMS for who may have it`)
  }
  return claims
}

function claimValue(claim: string, values: readonly string[]): unknown {
  const [first] = values
  if (claim === 'phone_number_verified') return first === 'true'
  return values.length === 1 ? first : values
}
