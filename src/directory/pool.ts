import type { Connection } from './connection.ts'
import { DirectoryFailure } from './failure.ts'

/** How many connections are kept. */
const MAX_KEPT = 8

/** Connections of one kind that are used again. Each is used by one at a time. */
export class Pool {
  readonly #open: () => Promise<Connection>
  #kept: Connection[] = []

  /** @param open connects, with a time limit of its own */
  constructor(open: () => Promise<Connection>) {
    this.#open = open
  }

  /**
   * Works with a connection. Work whose connection turns out to be closed, because the directory did it meanwhile, is
   * done once more with a new one: it only asks.
   * @throws DirectoryFailure; an error of `work`
   */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#kept = this.#kept.filter(({ is_open }) => is_open)
    const kept = this.#kept.pop()
    if (kept !== undefined) {
      try {
        return await this.#with(kept, work)
      } catch (error) {
        if (!(error instanceof DirectoryFailure && error.problem === 'closed')) throw error
      }
    }
    return this.#with(await this.#open(), work)
  }

  /** Ends the connections that are kept. */
  close(): void {
    for (const connection of this.#kept) connection.close()
    this.#kept = []
  }

  async #with<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
    connection.keepsProcess(true)
    try {
      return await work(connection)
    } finally {
      if (connection.is_open && this.#kept.length < MAX_KEPT) {
        connection.keepsProcess(false)
        this.#kept.push(connection)
      } else connection.close()
    }
  }
}
