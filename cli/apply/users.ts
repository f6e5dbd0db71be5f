import { unlockUser } from '../../src/admin/limits.ts'
import { applyChange } from '../../src/admin/operation/apply-change.ts'
import { compare, guarded } from '../../src/admin/operation/compare.ts'
import { eventsOfUser } from '../../src/admin/users/events.ts'
import { commit } from '../../src/core/commit.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { findFactors } from '../../src/factors/change-factors.ts'
import { NO_FACTORS } from '../../src/factors/factors-record.ts'
import { passwordRulesFor } from '../../src/factors/password-length.ts'
import { endMarks } from '../../src/self-service/end-of-user.ts'
import type { RecordStore } from '../../src/storage/storage.ts'
import { isAdministrator, isLastAdministrator } from '../../src/users/administrators.ts'
import { customClaimField } from '../../src/users/custom-claims.ts'
import { looksLike, namesakesOf } from '../../src/users/namesakes.ts'
import { insertUser, newSub } from '../../src/users/new-user.ts'
import { passwordProblem } from '../../src/users/password-rules.ts'
import type { Passwords } from '../../src/users/passwords.ts'
import { wasRemoved } from '../../src/users/removed-sub.ts'
import { indexUser } from '../../src/users/sign-in-names.ts'
import { isStandardClaim } from '../../src/users/standard-claims.ts'
import { USER_FIELDS } from '../../src/users/user-fields.ts'
import { USER } from '../../src/users/user-kind.ts'
import { parseUser } from '../../src/users/user-record.ts'
import { endMarked } from '../end-all.ts'
import type { CommandContext } from '../run.ts'
import type { UserEntry } from '../user/import-file.ts'
import { type ApplyStep, type Ownership, ownershipProblem } from './step.ts'

/** The fields that redmint sets by itself. */
const OWN_FIELDS = [
  'demo',
  'managed_by',
  'ending',
  'sessions_end_before',
  'session_kept',
  'grants_end_before',
  'access_ended',
  'groups_from',
]

/** Returns the work for a declared user; reports problems to `fail`. */
export async function planUser(
  context: CommandContext,
  passwords: Passwords,
  entry: UserEntry,
  own: Ownership,
  fail: (problem: string) => void,
): Promise<ApplyStep> {
  const { username, password } = entry
  const { records } = context.storage
  const stored = (await records.read(USER, username))?.hash
  const { differences, set, unset } = difference(entry, stored, own.label)
  const base = stored ?? { sub: newSub() }
  const problems = [...ownProblems(entry), ...storedProblems(entry, stored, own)]
  const [namesake] = stored === undefined ? await namesakesOf(context.storage, username) : []
  if (namesake !== undefined) problems.push(looksLike(namesake))
  // The same person may come back.
  if (stored === undefined && set.sub && (await wasRemoved(context.storage, set.sub, username)))
    problems.push(`has the sub "${set.sub}", which was that of another user, who was removed`)
  if (problems.length === 0) {
    const parsed = parseUser(username, applyChange(base, { set, unset }))
    // The label is that of the file, and was checked there.
    const malformed = parsed.ok ? [] : parsed.problems.filter(({ field }) => field !== 'managed_by')
    problems.push(...malformed.map(describeProblem))
    if (await losesLast(context.storage, username, stored, applyChange(base, { set, unset }))) {
      problems.push('is the last user with redmint:write: give it to another user first')
    }
  }
  const isNewPassword =
    password !== undefined &&
    problems.length === 0 &&
    !(stored !== undefined && (await passwords.verify(password, stored.password_hash)))
  if (isNewPassword) {
    differences.push({ field: 'password' })
    // One that was set under other rules stays usable.
    const owner = { username, email: entry.fields.email }
    const { factors } = stored === undefined ? { factors: NO_FACTORS } : await findFactors(context, username)
    const rules = passwordRulesFor(context.config.settings, factors)
    const problem = passwordProblem(password, rules, owner)
    if (problem !== undefined) problems.push(`password ${problem}`)
  }
  problems.forEach(fail)
  const hashed = async () => (isNewPassword ? { password_hash: await passwords.hash(password) } : {})
  const step = { kind: 'user' as const, name: username, differences }
  if (stored === undefined) {
    const write = async () => {
      const hash = { ...base, ...set, ...(await hashed()) }
      return (await insertUser(context, username, hash)) === 'ok' ? 'done' : 'not_written'
    }
    return { ...step, ends: false, action: 'create', outcome: 'not_written', write }
  }
  if (differences.length === 0) return { ...step, ends: false, action: 'unchanged', outcome: 'done' }
  const ends = isNewPassword || set.disabled === 'true' || stored.ending === 'true'
  const write = async () => {
    const wanted = { set: { ...set, ...(await hashed()) }, unset }
    const { before, marks } = endMarks(context)
    const whole = ends ? { ...wanted, set: { ...wanted.set, ...marks, ending: 'true' } } : wanted
    const present = applyChange(stored, wanted)
    const events = eventsOfUser(username, stored, present)
    const changed = await commit(context, events, { sub: present.sub }, (told) =>
      records.change(USER, username, { ...guarded(stored, whole), told }),
    )
    if (changed === 'missing') return 'not_written'
    await indexUser(context.storage, username, stored)
    if (isNewPassword) {
      const { storage, report, now } = context
      await unlockUser({ storage, report, now }, username, stored.sub)
    }
    if (ends) await finishEnding(context, username, before)
    return 'done'
  }
  return { ...step, ends, action: 'change', outcome: 'not_written', write }
}

async function losesLast(
  store: RecordStore,
  username: string,
  stored: Hash | undefined,
  wanted: Hash,
): Promise<boolean> {
  const is_one = stored !== undefined && isAdministrator(username, stored)
  return is_one && !isAdministrator(username, wanted) && (await isLastAdministrator(store, username))
}

// The mark goes last: if the command fails before, its next run ends what is left.
async function finishEnding(context: CommandContext, username: string, before: number): Promise<void> {
  await endMarked(context, username, before)
  await context.storage.records.change(USER, username, { set: {}, unset: ['ending'] })
}

// A password that the file does not name stays, as does a user whom an operator disabled in an emergency.
function difference({ fields, given }: UserEntry, stored: Hash | undefined, label: string) {
  const claims = Object.keys({ ...stored, ...fields }).filter(isClaimField)
  const own = ['sub', 'disabled', 'admin'].filter((name) => given.has(name))
  const declared = { ...fields, managed_by: label }
  const names = [...own, ...claims, 'linked_subjects', 'second_factor', 'managed_by']
  const { differences, set, unset } = compare(USER_FIELDS, names, stored ?? {}, declared)
  if (stored?.ending === 'true') differences.push({ field: 'ending', from: 'true', to: '' })
  // Only the first one is declared: servers replace it at the next sign-in.
  if (fields.password_hash !== undefined && !stored?.password_hash) {
    differences.push({ field: 'password' })
    set.password_hash = fields.password_hash
  }
  return { differences, set, unset }
}

function isClaimField(field: string): boolean {
  return isStandardClaim(field) || field.startsWith(customClaimField(''))
}

function ownProblems({ given }: UserEntry): string[] {
  const own = OWN_FIELDS.filter((name) => given.has(name))
  return own.map((name) => `${name} cannot be declared: redmint sets it`)
}

function storedProblems({ fields }: UserEntry, stored: Hash | undefined, own: Ownership): string[] {
  if (stored === undefined) return []
  const problem = ownershipProblem(stored.managed_by, own)
  if (problem !== undefined) return [problem]
  return fields.sub === undefined || !stored.sub || fields.sub === stored.sub
    ? []
    : [`sub is "${stored.sub}" and never changes: leave it out, or give the user another username`]
}
