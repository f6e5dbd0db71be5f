import { createHash } from 'node:crypto'
import { indexedNamesOf, namesOf } from '../../accounts/sign-in-names.ts'
import type { Hash } from '../../core/record-hash.ts'

/**
 * Compares the names of users with each other and with the index, as NameCheck does, and tells only which users something is
 * wrong with. It keeps a number for each pair of name and user, and no record: add the whole index first, then the users,
 * and then, if any is left over, the index once more.
 */
export class NameSums {
  /** The users whose names are missing in the index, left over in it, or shared. */
  readonly wrong = new Set<string>()
  /** What the index has and no user was found to have. */
  readonly #left = new Set<number>()
  /** Whose a name is, by its sum: the user who was seen first. */
  readonly #holders = new Map<number, string>()

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
      const other = this.#holders.get(of_name)
      if (other === undefined) this.#holders.set(of_name, username)
      else if (other !== username) this.wrong.add(username).add(other)
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

  /** How many numbers and names it keeps. */
  get size(): number {
    return this.#left.size + this.#holders.size
  }
}

/** A number of 48 bits that stands for texts: of a million, two have the same in one of 560 installations. */
function sumOf(...texts: readonly string[]): number {
  return createHash('sha256').update(JSON.stringify(texts)).digest().readUIntBE(0, 6)
}
