/** A hash of a password that another system made, as hash-thread.js verifies it. */
export type ForeignHash =
  | { readonly scheme: 'bcrypt'; readonly hash: string }
  | {
      readonly scheme: 'pbkdf2'
      readonly digest: Digest
      readonly rounds: number
      readonly salt: Uint8Array
      readonly sum: Uint8Array
    }
  | {
      readonly scheme: 'scrypt'
      /** N, r and p of RFC 7914 §2. */
      readonly cost: number
      readonly block_size: number
      readonly parallelization: number
      readonly salt: Uint8Array
      readonly sum: Uint8Array
    }

type Digest = keyof typeof DIGEST_BYTES
type Read = ForeignHash | { readonly problem: string }

const DIGEST_BYTES = { sha1: 20, sha256: 32, sha512: 64 }
/** The highest costs; memory in bytes. `work` is the memory that all lanes of scrypt pass over. */
const MAX = { length: 512, bcrypt: 14, rounds: 2_000_000, memory: 64 * 2 ** 20, work: 128 * 2 ** 20 }
// A salt and a hash as those of argon2id have them. RFC 7914 §12 has hashes of 64 bytes, and nobody has longer ones.
const MIN_SALT_BYTES = 8
const SUM_BYTES = { min: 16, max: 64 }

const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
/** The rounds alone (passlib), or as `i=`, with or without the length `l=` (PHC). */
const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha256|sha512))?\$(?:i=)?([1-9]\d{0,9})(?:,l=(\d{1,3}))?\$([^$]+)\$([^$]+)$/
/** Django: the salt is a text. */
const DJANGO_PBKDF2 = /^pbkdf2_(sha1|sha256)\$([1-9]\d{0,9})\$([\x21-\x23\x25-\x7E]+)\$([^$]+)$/
const SCRYPT = /^\$scrypt\$ln=(\d{1,2}),r=([1-9]\d{0,6}),p=([1-9]\d{0,6})\$([^$]+)\$([^$]+)$/

/**
 * Reads a hash of bcrypt, of pbkdf2 (PHC string, or as passlib or Django write it) or of scrypt (PHC string), or returns
 * what is wrong with it, such as "must be …". Undefined: it is of none of them.
 */
export function readForeignHash(text: string): Read | undefined {
  const [scheme] = /^(?:\$2|\$?pbkdf2|\$?scrypt)/.exec(text) ?? []
  if (scheme === undefined) return undefined
  if (text.length > MAX.length) return { problem: `must have at most ${MAX.length} characters` }
  if (scheme === '$2') return readBcrypt(text)
  return scheme.endsWith('pbkdf2') ? readPbkdf2(text) : readScrypt(text)
}

function readBcrypt(hash: string): Read {
  const [, cost] = BCRYPT.exec(hash) ?? []
  if (cost === undefined || Number(cost) < 4) {
    return { problem: 'must be a hash of bcrypt that begins with $2a$, $2b$ or $2y$' }
  }
  return Number(cost) > MAX.bcrypt
    ? { problem: `costs too much: at most ${MAX.bcrypt} of bcrypt` }
    : { scheme: 'bcrypt', hash }
}

function readPbkdf2(text: string): Read {
  const [, name = 'sha1', of_phc, length, salt_of_phc, sum_of_phc] = PBKDF2.exec(text) ?? []
  const [, of_django, rounds_of_django, salt_text, sum_of_django] = DJANGO_PBKDF2.exec(text) ?? []
  const digest = (of_django ?? name) as Digest
  const rounds = Number(of_phc ?? rounds_of_django)
  const salt = salt_text === undefined ? bytesOf(salt_of_phc) : new TextEncoder().encode(salt_text)
  const sum = bytesOf(sum_of_phc ?? sum_of_django?.replace(/={1,2}$/, ''))
  if (salt === undefined || sum === undefined || (length !== undefined && Number(length) !== sum.length)) {
    return { problem: 'must be a hash of pbkdf2 as PHC string, or as passlib or Django write it' }
  }
  // RFC 8018 §5.2: each block of a longer hash costs all rounds again.
  if (rounds * Math.ceil(sum.length / DIGEST_BYTES[digest]) > MAX.rounds) {
    return { problem: `costs too much: at most ${MAX.rounds} rounds of pbkdf2` }
  }
  return lengthProblem(salt, sum) ?? { scheme: 'pbkdf2', digest, rounds, salt, sum }
}

function readScrypt(text: string): Read {
  const [, log_cost, r, p, salt_text, sum_text] = SCRYPT.exec(text) ?? []
  const [log, block_size, parallelization] = [log_cost, r, p].map(Number) as [number, number, number]
  const [salt, sum] = [bytesOf(salt_text), bytesOf(sum_text)]
  // RFC 7914 §2: N is larger than 1 and less than 2^(128 * r / 8).
  if (salt === undefined || sum === undefined || log < 1 || log >= 16 * block_size) {
    return { problem: 'must be a hash of scrypt as PHC string' }
  }
  const cost = 2 ** log
  const memory = 128 * block_size * cost
  if (memory > MAX.memory || memory * parallelization > MAX.work) {
    return { problem: 'costs too much: at most 64 MiB of scrypt, and 128 MiB for that times p' }
  }
  return lengthProblem(salt, sum) ?? { scheme: 'scrypt', cost, block_size, parallelization, salt, sum }
}

function lengthProblem(salt: Uint8Array, sum: Uint8Array): { problem: string } | undefined {
  return salt.length < MIN_SALT_BYTES || sum.length < SUM_BYTES.min || sum.length > SUM_BYTES.max
    ? {
        problem: `must have a salt of at least ${MIN_SALT_BYTES} bytes and a hash of ${SUM_BYTES.min} to ${SUM_BYTES.max}`,
      }
    : undefined
}

/** Decodes base64 without padding, in which passlib has "." for "+". Undefined: it is malformed. */
function bytesOf(text = ''): Uint8Array | undefined {
  const bytes = unpaddedBytes(text.replaceAll('.', '+'))
  // A copy: what is sent to a thread takes the memory around it along.
  return bytes && Uint8Array.from(bytes)
}

/** Decodes base64 without padding, in its one spelling. Undefined: it is malformed, or empty. */
export function unpaddedBytes(text = ''): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  const is_one = text !== '' && !text.endsWith('=') && bytes.toString('base64').startsWith(text)
  return is_one ? bytes : undefined
}
