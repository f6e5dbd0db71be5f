import { randomBytes } from 'node:crypto'
import type { Settings } from '../config/settings.ts'
import { readForeignHash, unpaddedBytes } from './foreign-hash.ts'

/** The cost of a hash (RFC 9106 §3.1). */
export type HashCost = Pick<Settings, 'argon2_memory' | 'argon2_iterations' | 'argon2_parallelism'>

/** The highest cost of a stored hash, the same as in the environment; memory in KiB. */
const MAX = { memory: 4_194_304, iterations: 100, parallelism: 16 }
/** A PHC string of argon2id, version 19, with the fields in the order of RFC 9106; the salt has at most 64 characters. */
const ARGON2ID =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$([^$]{1,64})\$([^$]{1,86})$/
const SALT_BYTES = 16
const HASH_BYTES = 32
// RFC 9106 §3.1: a salt has at least 8 bytes. A hash below 16 bytes matches too many passwords.
const MIN_SALT_BYTES = 8
const MIN_HASH_BYTES = 16

/** Whether a text is a hash that a password may match: of argon2id, bcrypt, pbkdf2 or scrypt, within the limits. */
export function isPasswordHash(text: string): boolean {
  return passwordHashProblem(text) === undefined
}

/** The password of a user as operators see it: no password matches one that is unusable. */
export const PASSWORD_STATES = ['set', 'none', 'unusable'] as const

/** Returns what operators see of the password of a user. @param hash as in the record; an empty one is none */
export function passwordState(hash = ''): (typeof PASSWORD_STATES)[number] {
  if (hash === '') return 'none'
  return isPasswordHash(hash) ? 'set' : 'unusable'
}

/** Returns why no password matches a hash, such as "must be …"; undefined if one may match. */
export function passwordHashProblem(text: string): string | undefined {
  const foreign = readForeignHash(text)
  if (foreign !== undefined) return 'problem' in foreign ? foreign.problem : undefined
  const read = readArgon2(text)
  if (read === undefined)
    return 'must be a PHC string of argon2id, version 19, or a hash of bcrypt, pbkdf2 or scrypt'
  const { memory, iterations, parallelism, salt, sum } = read
  if (memory > MAX.memory || iterations > MAX.iterations || parallelism > MAX.parallelism)
    return `costs too much: at most m=${MAX.memory}, t=${MAX.iterations}, p=${MAX.parallelism}`
  if (salt < MIN_SALT_BYTES || sum < MIN_HASH_BYTES)
    return `must have a salt of at least ${MIN_SALT_BYTES} bytes and a hash of at least ${MIN_HASH_BYTES}`
  return undefined
}

/** Whether a hash has this cost and the current lengths of salt and hash. */
export function isOfCost(hash: string, cost: HashCost): boolean {
  const read = readArgon2(hash)
  return (
    read !== undefined &&
    read.memory === cost.argon2_memory &&
    read.iterations === cost.argon2_iterations &&
    read.parallelism === cost.argon2_parallelism &&
    read.salt >= SALT_BYTES &&
    read.sum === HASH_BYTES
  )
}

/** Returns a random hash of this cost, to compare with if there is no stored one. */
export function randomHash(cost: HashCost): string {
  const [salt, hash] = [SALT_BYTES, HASH_BYTES].map((bytes) =>
    randomBytes(bytes).toString('base64').replace(/=+$/, ''),
  )
  const { argon2_memory: m, argon2_iterations: t, argon2_parallelism: p } = cost
  return `$argon2id$v=19$m=${m},t=${t},p=${p}$${salt}$${hash}`
}

/** Reads a hash of argon2id: its cost, memory in KiB, and the bytes of salt and hash. Undefined: it is none. */
function readArgon2(text: string) {
  const [, m, t, p, salt_text, sum_text] = ARGON2ID.exec(text) ?? []
  const [memory, iterations, parallelism] = [m, t, p].map(Number) as [number, number, number]
  const [salt, sum] = [unpaddedBytes(salt_text), unpaddedBytes(sum_text)]
  // RFC 9106 §3.1: 8 KiB or more for each lane.
  if (salt === undefined || sum === undefined || memory < 8 * parallelism) return undefined
  return { memory, iterations, parallelism, salt: salt.length, sum: sum.length }
}
