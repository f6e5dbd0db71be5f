// A thread that computes password hashes, one after the other; hash-threads.ts starts it. It is JavaScript, so that it
// needs no loader when the sources run as TypeScript.
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashSync, verifySync } from '@node-rs/argon2'

/** Beside a thread of this niceness, one of the usual priority gets nine tenths of a busy core. */
const NICENESS = 10

// Only Linux has a priority for each thread; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(0, NICENESS)

parentPort?.on('message', (task) => parentPort?.postMessage(answer(task)))

/**
 * @param {import('./hash-threads.ts').HashTask} task
 * @returns {import('./hash-threads.ts').HashAnswer}
 */
function answer(task) {
  try {
    return {
      value: 'hash' in task ? verifySync(task.hash, task.password) : hashSync(task.password, task.cost),
    }
  } catch (error) {
    return { error }
  }
}
