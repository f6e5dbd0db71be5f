import type { Static } from '@sinclair/typebox'
import type { Hash } from '../../core/record-hash.ts'
import { endMarks, queueEndings } from '../../logout/end-of-user.ts'
import { isAdministrator, isLastAdministrator } from '../../users/administrators.ts'
import { customClaimField } from '../../users/custom-claims.ts'
import { isStandardClaim } from '../../users/standard-claims.ts'
import { USER_FIELDS } from '../../users/user-fields.ts'
import { USER } from '../../users/user-kind.ts'
import { unlockUser } from '../limits.ts'
import { applyChange } from '../operation/apply-change.ts'
import { compare } from '../operation/compare.ts'
import type { AdminContext, OperationOutcome } from '../operation/operation.ts'
import { AdminError, invalidField } from '../operation/problem.ts'
import { assertReplaceable } from '../operation/version.ts'
import { changedUser, changeUser, lastAdministrator } from './change.ts'
import { assertFree, createFrom } from './create.ts'
import { differenceOfUser } from './difference.ts'
import { type GivenFields, readWholeUser } from './given.ts'
import { nameWarnings } from './name-check.ts'
import { describeUser, type UserAnswer } from './record-type.ts'
import { nextStep } from './way-in.ts'

type UserOutcome = OperationOutcome<Static<typeof UserAnswer>>

/** A password that only the command on the host sets. */
export interface GivenPassword {
  /** Whether it ends what was issued for the user before: one that the user brings along does not. */
  readonly ends: boolean
  hash(): Promise<string>
}

interface Replacing {
  readonly version?: string | undefined
  readonly dry_run?: boolean | undefined
  /**
   * Returns the password that is given, undefined if it is the one that there is; absent: none is given.
   * @throws AdminError if it is refused
   */
  readonly passwordOf?: (stored: Hash | undefined) => Promise<GivenPassword | undefined>
}

/**
 * Makes a user what is given, or adds one, or says what a dry run would write. A new password, and a user who becomes
 * disabled, end all that the user has; if that fails after the record is written, the next call does it.
 * @param whole the user in JSON
 * @throws AdminError; StorageUnavailable
 */
export async function replaceFrom(
  context: AdminContext,
  username: string,
  whole: Readonly<Record<string, unknown>>,
  { version, dry_run, passwordOf }: Replacing,
): Promise<UserOutcome> {
  const { storage } = context
  const stored = (await storage.records.read(USER, username))?.hash
  if (stored === undefined) {
    if (version !== undefined) throw new AdminError('stale', `There is no user "${username}" any more.`)
    const hash = async () => {
      const password = await passwordOf?.(undefined)
      return dry_run ? undefined : password?.hash()
    }
    // To a file on the host, the same person may come back.
    const imported = context.caller.kind === 'command' ? { hash: passwordOf && hash } : undefined
    return createFrom(context, username, readWholeUser(username, whole).set, dry_run, imported)
  }
  assertReplaceable(stored, version, dry_run)
  const change = changeOf(readWholeUser(username, whole, stored), stored)
  const wanted = changedUser(context, username, stored, change)
  // A record that somebody wrote by hand may have none.
  if (change.set.sub !== undefined) await assertFree(storage, change.set.sub)
  const password = await passwordOf?.(stored)
  if (dry_run) {
    const is_one = isAdministrator(username, stored)
    if (is_one && !isAdministrator(username, wanted) && (await isLastAdministrator(storage, username)))
      throw lastAdministrator(username)
    const difference = differenceOfUser(username, stored, wanted)
    if (password !== undefined) difference.push({ field: 'password' })
    return { difference, stored, ...(difference.length > 0 && { shows: username }) }
  }
  const password_hash = await password?.hash()
  const ends = password?.ends || change.set.disabled === 'true' || stored.ending === 'true'
  const present = await written(context, username, stored, change, { password_hash, ends })
  if (password?.ends) await unlockUser(context, username, stored.sub)
  return answerChanged(context, username, stored, present)
}

/** Returns the answer to a change. A change is an event itself; one that changes nothing only shows. */
export async function answerChanged(
  context: Pick<AdminContext, 'storage' | 'settings' | 'caller'>,
  username: string,
  stored: Hash,
  present: Hash,
): Promise<UserOutcome> {
  const is_look = differenceOfUser(username, stored, present).length === 0
  const warned = await nameWarnings(context, username, present)
  return {
    body: { ...describeUser(username, present), ...warned, ...(await nextStep(context, username, present)) },
    stored: present,
    ...(is_look && { shows: username }),
  }
}

/** Writes a change, and ends what it ends. The mark that something is to be ended goes last. */
async function written(
  context: AdminContext,
  username: string,
  stored: Hash,
  change: GivenFields,
  { password_hash, ends }: { password_hash: string | undefined; ends: boolean },
): Promise<Hash> {
  const set = password_hash === undefined ? change.set : { ...change.set, password_hash }
  if (!ends) return changeUser(context, username, stored, { ...change, set })
  const { before, marks } = endMarks(context)
  const unset = change.unset.filter((name) => name !== 'ending')
  const marked = { ...marks, ending: 'true' }
  const present = await changeUser(context, username, stored, { set, unset }, marked)
  await queueEndings(context, username, before)
  const ended = { set: {}, unset: ['ending'] }
  await context.storage.records.change(USER, username, ended)
  return applyChange(present, ended, USER)
}

/** Returns the change that makes a stored record what is given. */
function changeOf(given: GivenFields, stored: Hash): GivenFields {
  const { set, unset } = given
  if (set.sub !== undefined && stored.sub && set.sub !== stored.sub) {
    const detail = `sub is "${stored.sub}" and never changes: leave it out, or give the user another username`
    throw invalidField('sub', detail)
  }
  const is_given = (name: string) => set[name] !== undefined || unset.includes(name)
  const names = [
    ...['sub', 'disabled', 'admin', 'managed_by'].filter(is_given),
    ...Object.keys({ ...stored, ...set }).filter(isClaimField),
    ...['linked_subjects', 'second_factor'],
  ]
  const change = compare(USER_FIELDS, names, stored, set)
  return stored.ending === 'true' ? { ...change, unset: [...change.unset, 'ending'] } : change
}

const isClaimField = (name: string): boolean => isStandardClaim(name) || name.startsWith(customClaimField(''))
