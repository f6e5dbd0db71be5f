import type { Hash } from '../../core/record-hash.ts'
import { indexedNamesOf, namesOf } from '../../users/sign-in-names.ts'
import { NamedIds } from './named-ids.ts'
import { SumSet, sumOf } from './sum-set.ts'

/**
 * Compares the names of users with each other and with the index, as NameCheck does, and tells only which users something is
 * wrong with. It keeps a number for each pair of name and user, and no record: add the whole index first, then the users;
 * then, if any is left over, the index once more, and if any is shared, the users.
 */
export class NameSums {
  /** The users whose names are missing in the index, left over in it, or shared. */
  readonly wrong = new NamedIds()
  /** What the index has and no user was found to have. */
  readonly #left = new SumSet()
  /** The names of users. */
  readonly #held = new SumSet()
  /** Those of several users. */
  readonly #shared = new Set<number>()

  /** Adds a name of the index with its fields. */
  addIndexed(name: string, hash: Hash): void {
    for (const username of Object.keys(hash)) this.#left.add(sumOf(name, username))
  }

  /** Adds a user record, each once. */
  addUser(username: string, hash: Hash): void {
    const held = namesOf(username, hash)
    for (const name of held) {
      if (name !== username && !this.#left.has(sumOf(name, username))) this.wrong.add(username)
      const of_name = sumOf(name)
      if (this.#held.has(of_name)) this.#shared.add(of_name)
      else this.#held.add(of_name)
    }
    for (const name of [...held, ...indexedNamesOf(username, hash)]) this.#left.delete(sumOf(name, username))
  }

  /** Whether the index has something that no user has. */
  get hasLeftOver(): boolean {
    return this.#left.size > 0
  }

  /** Names the users of what is left over. */
  nameLeftOver(name: string, hash: Hash): void {
    for (const username of Object.keys(hash))
      if (this.#left.has(sumOf(name, username))) this.wrong.add(username)
  }

  /** Whether several users have the same name. */
  get hasShared(): boolean {
    return this.#shared.size > 0
  }

  /** Names a user who has a name of another one. */
  nameShared(username: string, hash: Hash): void {
    for (const name of namesOf(username, hash)) if (this.#shared.has(sumOf(name))) this.wrong.add(username)
  }

  /** How many numbers it keeps. */
  get size(): number {
    return this.#left.size + this.#held.size
  }
}
