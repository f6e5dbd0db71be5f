import type { FieldDifference } from '../../src/admin/operation/difference.ts'
import { OPERATIONS } from '../../src/admin/operations.ts'
import { givenUser } from '../../src/admin/users/given.ts'
import { present } from '../../src/core/present.ts'
import { readClaims } from '../../src/users/claims-json.ts'
import { customClaimField } from '../../src/users/custom-claims.ts'
import { isStandardClaim } from '../../src/users/standard-claims.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import type { Calls } from '../calls.ts'
import type { UserEntry } from '../user/import-file.ts'
import { type Difference, shownDifferences } from './difference.ts'
import type { Declared } from './step.ts'

/** The fields that redmint sets by itself. */
const OWN_FIELDS = Object.keys(USER_FIELDS).filter(
  (name) => name !== 'password_hash' && !Object.hasOwn(OPERATIONS.create_user.body?.properties ?? {}, name),
)

/** Returns a user of a file; reports what cannot be declared to `fail`. */
export function declaredUser(
  { plan, call }: Calls,
  entry: UserEntry,
  label: string,
  fail: (problem: string) => void,
): Declared {
  const { index, username, given, password } = entry
  for (const name of OWN_FIELDS) if (given.has(name)) fail(`${name} cannot be declared: redmint sets it`)
  const own = Object.entries(entry.fields).filter(([name]) => !OWN_FIELDS.includes(name))
  const { password_hash, ...fields } = Object.fromEntries(own)
  const secrets = present({ password, password_hash })
  const user = () => ({
    // What is given as its default counts, too: the rest of these stays.
    ...(given.has('disabled') && { disabled: false }),
    ...(given.has('admin') && { admin: [] }),
    ...givenUser(fields),
    managed_by: label,
  })
  const params = { username }
  const whole = (version?: string) => ({
    body: { username, user: user(), ...secrets, ...present({ version }) },
  })
  const is_of_host = Object.keys(secrets).length > 0
  return {
    index,
    kind: 'user',
    name: username,
    plan: async () =>
      is_of_host ? plan('declare_user', whole()) : plan('replace_user', { params, body: user() }),
    write: (version) =>
      is_of_host
        ? call('declare_user', whole(version))
        : call('replace_user', { params, body: user(), version }),
    shown: (difference) => shownOfUser(difference, Object.keys(fields)),
    ends: (differences) =>
      differences.some(
        ({ field, to }) =>
          field === 'password' || field === 'ending' || (field === 'disabled' && to === 'true'),
      ),
  }
}

/** @param names the fields of the file, which come first */
function shownOfUser(difference: readonly FieldDifference[], names: readonly string[]): Difference[] {
  const others = difference.filter(({ field }) => field !== 'password')
  const shown = others.flatMap(({ field, from, to }) => {
    const [, claim] = /^claims\.(.*)$/s.exec(field) ?? []
    if (claim === undefined) return shownDifferences(USER_FIELDS, [{ field, from, to }])
    return [
      { field: isStandardClaim(claim) ? claim : customClaimField(claim), ...claimTexts(claim, from, to) },
    ]
  })
  const rank = ({ field }: Difference) => (names.includes(field) ? names.indexOf(field) : names.length)
  const password = difference.find(({ field }) => field === 'password')
  // A new user has none.
  const has_password = password !== undefined && password.to !== 'none'
  return [
    ...shown.sort((one, other) => rank(one) - rank(other)),
    ...(has_password ? [{ field: 'password' }] : []),
  ]
}

function claimTexts(claim: string, from: unknown, to: unknown): { from: string; to: string } {
  const textIn = (value: unknown) => Object.values(readClaims({ [claim]: value ?? null }, () => {}))[0] ?? ''
  return { from: textIn(from), to: textIn(to) }
}
