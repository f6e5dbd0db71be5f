// A thread that computes password hashes, one after the other; hash-threads.ts starts it. It is JavaScript, so that it
// needs no loader when the sources run as TypeScript.
import { pbkdf2Sync, scryptSync, timingSafeEqual } from 'node:crypto'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'

/** Beside a thread of this niceness, one of the usual priority gets nine tenths of a busy core. */
const NICENESS = 10

/** In bytes: the 64 MiB of the largest hash of scrypt, and what is beside them. */
const SCRYPT_MEMORY = 128 * 2 ** 20

/** The characters of a bcrypt hash that are version, cost and salt. */
const BCRYPT_SETTINGS = 29

// Only Linux has a priority for each thread; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(0, NICENESS)

parentPort?.on('message', async (task) => parentPort?.postMessage(await answer(task)))

/**
 * @param {import('./hash-threads.ts').HashTask} task
 * @returns {Promise<import('./hash-threads.ts').HashAnswer>}
 */
async function answer(task) {
  try {
    if ('foreign' in task) return { value: await verifyForeign(task.foreign, task.password) }
    return {
      value: 'hash' in task ? verifySync(task.hash, task.password) : hashSync(task.password, task.cost),
    }
  } catch (error) {
    return { error }
  }
}

/**
 * @param {import('./foreign-hash.ts').ForeignHash} foreign
 * @param {string} password
 */
async function verifyForeign(foreign, password) {
  if (foreign.scheme === 'bcrypt') {
    const { hashSync } = await import('bcryptjs')
    const { hash } = foreign
    const made = hashSync(password, hash.slice(0, BCRYPT_SETTINGS))
    // Without the salt, whose last character has bits that some systems leave set.
    const [sum, wanted] = [made, hash].map((text) => Buffer.from(text.slice(BCRYPT_SETTINGS)))
    return sum !== undefined && wanted !== undefined && timingSafeEqual(sum, wanted)
  }
  const { salt, sum } = foreign
  if (foreign.scheme === 'pbkdf2') {
    return timingSafeEqual(pbkdf2Sync(password, salt, foreign.rounds, sum.length, foreign.digest), sum)
  }
  const { cost, block_size: blockSize, parallelization } = foreign
  const made = scryptSync(password, salt, sum.length, {
    cost,
    blockSize,
    parallelization,
    maxmem: SCRYPT_MEMORY,
  })
  return timingSafeEqual(made, sum)
}
