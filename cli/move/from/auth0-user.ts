import { isObject } from '../../../src/core/json.ts'
import { isPasswordHash } from '../../../src/users/password-hash.ts'
import { userIdOf } from './auth0-id.ts'
import type { Converted } from './converted.ts'
import { Members } from './members.ts'
import { Notes } from './notes.ts'

const CLAIMS = ['name', 'given_name', 'family_name', 'nickname', 'picture', 'phone_number'] as const

/** Converts a user of an export of Auth0, or of its export of password hashes. */
export function convertUser(
  place: string,
  value: Readonly<Record<string, unknown>>,
  hashes: ReadonlyMap<string, string>,
): Converted {
  const notes = new Notes()
  const user = new Members(value, notes)
  const sub = userIdOf(value) ?? ''
  const address = emailOf(user)
  const username = user.text('username')
  const id = username ?? address.email ?? ''
  if (username === undefined) user.changed('username', 'there is none: the e-mail address signs in')
  else user.kept('username')
  user.kept('user_id')
  const members = {
    username: id,
    sub,
    ...(user.flag('blocked') === true && { disabled: true }),
    ...password(user, sub, hashes),
    ...secondStep(user),
    claims: { ...claims(user), ...address },
  }
  user.lose(
    'redmint puts claims into the record of the user: add those that you want',
    'user_metadata',
    'app_metadata',
  )
  user.ignore(
    'user_id',
    '_id',
    'alt_id',
    'tenant',
    'connection',
    '_tmp_is_unique',
    'password_set_date',
    'identifiers',
  )
  user.ignore(
    'identities',
    'created_at',
    'updated_at',
    'last_login',
    'last_ip',
    'logins_count',
    'last_password_reset',
  )
  user.finish()
  return { kind: 'user', place, id, members, notes }
}

function claims(user: Members): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  for (const name of CLAIMS) {
    const text = user.text(name)
    if (text === undefined) continue
    found[name] = text
    user.kept(name)
  }
  if (user.flag('phone_verified')) {
    found.phone_number_verified = true
    user.kept('phone_verified')
  }
  return found
}

// Some users of the export of hashes have it in `identifiers` only.
function emailOf(user: Members): { email?: string; email_verified?: true } {
  const identifiers = user.entries('identifiers').filter(isObject)
  const listed = identifiers.find(({ type }) => type === 'email')
  const email = user.text('email') ?? (typeof listed?.value === 'string' ? listed.value : undefined)
  const is_verified = (user.flag('email_verified') ?? listed?.verified === true) === true
  if (email === undefined) return {}
  user.kept('email')
  user.kept('email_verified')
  return { email, ...(is_verified && { email_verified: true }) }
}

function password(
  user: Members,
  sub: string,
  hashes: ReadonlyMap<string, string>,
): { password_hash?: string } {
  const hash = user.text('passwordHash') ?? hashes.get(sub)
  if (hash === undefined) {
    const why = sub.startsWith('auth0|')
      ? 'its hash is in the export that the support of Auth0 makes: give that with --passwords'
      : `the user signed in at ${sub.split('|')[0]}`
    user.lost('password', `${why}; without it, set a password or send a link`)
    return {}
  }
  if (!isPasswordHash(hash)) {
    user.lost('passwordHash', 'redmint does not verify it: the user needs a new password')
    return {}
  }
  user.kept('passwordHash')
  return { password_hash: hash }
}

// Without it, a password alone would let somebody in from now on.
function secondStep(user: Members): { second_factor?: 'required' } {
  const steps = ['multifactor', 'guardian_authenticators', 'mfa_factors'].filter((name) => {
    const value = user.take(name)
    return Array.isArray(value) && value.length > 0
  })
  for (const name of steps)
    user.changed(name, 'it is not in the file: the user has to set up a second step while signing in')
  return steps.length > 0 ? { second_factor: 'required' } : {}
}
