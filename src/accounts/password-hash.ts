import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import type { ParsedHashOptions, parseOptions } from '@node-rs/argon2'
import type { Settings } from '../config/settings.ts'
import { readForeignHash } from './foreign-hash.ts'

/** The cost of a hash (RFC 9106 §3.1). */
export type HashCost = Pick<Settings, 'argon2_memory' | 'argon2_iterations' | 'argon2_parallelism'>

// Native code of 8 MB, which a server needs only if it has users: loaded by the first hash that is read.
const require = createRequire(import.meta.url)
let loaded: { readonly parseOptions: typeof parseOptions } | undefined
const library = () => {
  loaded ??= require('@node-rs/argon2') as { readonly parseOptions: typeof parseOptions }
  return loaded
}

/** The highest cost of a stored hash, the same as in the environment; memory in KiB. */
const MAX = { memory: 4_194_304, iterations: 100, parallelism: 16 }
const ARGON2ID = 2
const VERSION_19 = 1
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
  const parsed = parse(text)
  if (parsed === undefined || parsed.algorithm !== ARGON2ID || parsed.version !== VERSION_19)
    return 'must be a PHC string of argon2id, version 19, or a hash of bcrypt, pbkdf2 or scrypt'
  const { memoryCost, timeCost, parallelism, saltLen, outputLen } = parsed
  if (memoryCost > MAX.memory || timeCost > MAX.iterations || parallelism > MAX.parallelism)
    return `costs too much: at most m=${MAX.memory}, t=${MAX.iterations}, p=${MAX.parallelism}`
  if (saltLen < MIN_SALT_BYTES || outputLen < MIN_HASH_BYTES)
    return `must have a salt of at least ${MIN_SALT_BYTES} bytes and a hash of at least ${MIN_HASH_BYTES}`
  return undefined
}

/** Whether a hash has this cost and the current lengths of salt and hash. */
export function isOfCost(hash: string, cost: HashCost): boolean {
  const parsed = parse(hash)
  return (
    parsed !== undefined &&
    parsed.memoryCost === cost.argon2_memory &&
    parsed.timeCost === cost.argon2_iterations &&
    parsed.parallelism === cost.argon2_parallelism &&
    parsed.saltLen >= SALT_BYTES &&
    parsed.outputLen === HASH_BYTES
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

function parse(text: string): ParsedHashOptions | undefined {
  try {
    return library().parseOptions(text)
  } catch {
    return undefined
  }
}
