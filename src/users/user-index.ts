import { groupsOf } from '../core/groups.ts'
import type { Hash } from '../core/record-hash.ts'
import { fitIndexes, fittedAt, type Index } from '../storage/indexes.ts'
import type { Fitted, Walked } from '../storage/records.ts'
import { indexAdministrator, isListed } from './administrators.ts'
import {
  addSignInName,
  indexedNamesOf,
  indexNames,
  removeSignInName,
  SIGN_IN_NAME,
  type UserStore,
} from './sign-in-names.ts'
import { USER } from './user-kind.ts'

/** So few that other requests of the process hardly wait. */
const PER_STEP = 50

/**
 * Makes the index of users, unless servers keep it: without it, users that were written by hand before the first server are
 * not found by their subs and names.
 * @throws StorageUnavailable
 */
export async function fitUsersFirst(storage: UserStore): Promise<void> {
  if ((await fittedAt(storage)) === undefined) await fitIndexes(storage, [userIndex(storage)])
}

/** Returns what users are found by besides their usernames: names, subs, links to other issuers, and last sign-ins. */
export function userIndex(storage: UserStore): Index {
  const { records, sign_ins } = storage
  return {
    kind: USER,
    async fit(usernames) {
      // Not administrators: one who is about to lose the rights leaves their index before the record changes.
      await Promise.all(usernames.map((username) => indexNames(storage, username)))
    },
    walked: [
      { kind: SIGN_IN_NAME, fit: (found) => removeStale(storage, found) },
      {
        kind: USER,
        async fit(found) {
          const users = found.flatMap(({ id, hash }) => (hash === undefined ? [] : [{ id, hash }]))
          const fitted = await addMissing(storage, users)
          await sign_ins.add(users.map(({ id }) => id))
          for (const { id, hash } of users) if (isListed(hash)) await indexAdministrator(storage, id, true)
          return fitted
        },
      },
    ],
    async *sweep() {
      for await (const some of groupsOf(sign_ins.inactiveSince(Number.POSITIVE_INFINITY), PER_STEP)) {
        const usernames = some.map(({ username }) => username)
        await sign_ins.forget(await records.absent(USER, usernames))
        yield { added: 0, removed: 0 }
      }
    },
  }
}

// Each record is read after its name in the index: another process may have just added both.
async function removeStale(storage: UserStore, found: readonly Walked[]): Promise<Fitted> {
  const pairs = found.flatMap(({ id: name, hash = {} }) =>
    Object.keys(hash).map((username) => ({ name, username })),
  )
  const removals = pairs.map(async ({ name, username }) => {
    const user = await storage.records.read(USER, username)
    if (user !== undefined && indexedNamesOf(username, user.hash).includes(name)) return 0
    await removeSignInName(storage, name, username)
    return 1
  })
  return { added: 0, removed: sum(await Promise.all(removals)) }
}

async function addMissing(
  storage: UserStore,
  users: readonly { readonly id: string; readonly hash: Hash }[],
): Promise<Fitted> {
  const additions = users.flatMap(({ id, hash }) =>
    indexedNamesOf(id, hash).map(async (name) => ((await addSignInName(storage, name, id)) ? 1 : 0)),
  )
  return { added: sum(await Promise.all(additions)), removed: 0 }
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
