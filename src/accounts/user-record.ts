import { type DefinitionOf, formatFields, parseFields, type RecordOf } from '../core/field-table.ts'
import type { Sub } from '../core/ids.ts'
import type { Hash, Parsed } from '../core/record-hash.ts'
import { isUnmarkedDemoUser } from './demo-user.ts'
import { isStandardClaim } from './standard-claims.ts'
import { USER_FIELDS } from './user-fields.ts'

/** The account of a user. */
export interface User extends RecordOf<typeof USER_FIELDS> {
  readonly sub: Sub
  readonly username: string
  /** Standard claims (OpenID Connect Core §5.1) by name, as texts. */
  readonly claims: Readonly<Record<string, string>>
}

/** A user to be written; fields that have a default are optional. */
export interface UserDefinition extends DefinitionOf<typeof USER_FIELDS> {
  /** Standard claims by name, as texts. */
  readonly claims: Hash
}

const USERNAME = /^[^\s:{}]{1,255}$/u

/** Whether a string is a valid username: 1 to 255 characters without white space, colons and braces. */
export function isUsername(value: string): boolean {
  return USERNAME.test(value)
}

/** Whether a field of a user record is a claim or a field that redmint ignores. */
export function isClaim(field: string): boolean {
  return !Object.hasOwn(USER_FIELDS, field)
}

/** Parses a user record from storage. Claims are not checked; unknown fields are ignored. */
export function parseUser(username: string, hash: Hash): Parsed<User> {
  const parsed = parseFields(USER_FIELDS, hash)
  if (!parsed.ok) return parsed
  const claims = Object.fromEntries(Object.entries(hash).filter(([name]) => isStandardClaim(name)))
  const demo = parsed.record.demo || isUnmarkedDemoUser(username, hash)
  return { ok: true, record: { username, ...parsed.record, demo, claims } }
}

/** Formats a user for storage. */
export function formatUser({ claims, ...user }: UserDefinition): Hash {
  return { ...claims, ...formatFields(USER_FIELDS, user) }
}
