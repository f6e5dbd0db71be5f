import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Options } from '@node-rs/argon2'
import { type ForeignHash, readForeignHash } from './foreign-hash.ts'

/** What computes password hashes: new ones of argon2id, and those of other systems to compare with. */
export interface Argon2 {
  /** Returns a PHC string. */
  hash(password: string, cost: Options): Promise<string>
  /** Whether a password matches a hash that passwordHashProblem accepts. */
  verify(hash: string, password: string): Promise<boolean>
}

/** What a thread is asked: to verify a password, or to hash a new one. */
export type HashTask =
  | { readonly hash: string; readonly password: string }
  | { readonly foreign: ForeignHash; readonly password: string }
  | { readonly password: string; readonly cost: Options }

/** What a thread answers. */
export type HashAnswer = { readonly value: string | boolean } | { readonly error: unknown }

interface Thread {
  readonly worker: Worker
  /** Ends the thread if it is not used again. */
  end?: NodeJS.Timeout
}

/** In milliseconds. A thread that waits costs memory, and a new one delays a sign-in by some 50 ms. */
const IDLE = 60_000

// It needs no loader and no option of this process, so it starts quickly.
const THREAD = new URL('./hash-thread.js', import.meta.url)

/**
 * Computes password hashes in threads of their own, of low priority, so that they do not delay the answers to other
 * requests. There are as many as hashes are computed at the same time; the caller limits that. Idle ones end.
 */
export class HashThreads implements Argon2 {
  /** The one that was used last is at the end. */
  readonly #idle: Thread[] = []
  readonly #idle_ms: number

  /** @param idle_ms how long a thread waits for its next hash, in milliseconds */
  constructor(idle_ms = IDLE) {
    this.#idle_ms = idle_ms
  }

  async hash(password: string, cost: Options): Promise<string> {
    return (await this.#run({ password, cost })) as string
  }

  async verify(hash: string, password: string): Promise<boolean> {
    const foreign = readForeignHash(hash)
    if (foreign === undefined) return (await this.#run({ hash, password })) as boolean
    if ('problem' in foreign) throw new TypeError(`the hash ${foreign.problem}`)
    return (await this.#run({ foreign, password })) as boolean
  }

  /** @throws what the hash function throws; Error if the thread fails, which is then not used again */
  async #run(task: HashTask): Promise<string | boolean> {
    const thread: Thread = this.#idle.pop() ?? { worker: new Worker(THREAD, { execArgv: [] }) }
    const { worker } = thread
    clearTimeout(thread.end)
    worker.ref()
    worker.postMessage(task)
    const [answer] = (await once(worker, 'message')) as [HashAnswer]
    this.#keep(thread)
    if ('error' in answer) throw answer.error
    return answer.value
  }

  #keep(thread: Thread): void {
    // While it waits, the process may end.
    thread.worker.unref()
    thread.end = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(thread), 1)
      void thread.worker.terminate()
    }, this.#idle_ms).unref()
    this.#idle.push(thread)
  }
}
