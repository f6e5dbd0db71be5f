// Clients that redeem codes at a fixed rate, however long the answers take: in each fault many redemptions are under way.
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type Server } from '../client.ts'
import { undecided } from '../history.ts'
import { PROOF_CLIENTS } from '../replica.ts'
import type { World } from './load.ts'
import type { Random } from './random.ts'

/** How many codes are redeemed in a fault, and the milliseconds between two: the time of a hang in all. */
const CODES = 75
const EVERY = 20
/** How many clients ask for codes at the same time. */
const ASKING = 8
/** Milliseconds until a client without an answer retries. */
const RECONNECT = 250

export class Crowd {
  readonly #world: World
  readonly #random: Random
  readonly #client: Client
  readonly #codes: string[] = []

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
    this.#client = new Client(world.history, PROOF_CLIENTS.app)
  }

  /** Gets the codes for the next fault. */
  async gather(): Promise<void> {
    const ask = async () => {
      while (this.#codes.length < CODES) {
        const { outcome } = await this.#client.untilAnswered((way) =>
          this.#client.authorize(this.#choose(), way),
        )
        if (outcome.code !== undefined) this.#codes.push(outcome.code)
      }
    }
    await Promise.all(Array.from({ length: ASKING }, ask))
  }

  /** Redeems the codes. Resolves when all are answered. */
  async redeem(): Promise<void> {
    const redemptions: Promise<void>[] = []
    for (const code of this.#codes.splice(0)) {
      redemptions.push(this.#redeem(code))
      await pause(EVERY)
    }
    await Promise.all(redemptions)
  }

  /** Retries at the same replica: another one may not know of the withdrawal yet (docs/reliability.md). */
  async #redeem(code: string): Promise<void> {
    const way = { request: this.#world.history.newRequest() }
    for (let server = this.#choose(); ; ) {
      const entry = await this.#client.redeem(server, code, way)
      if (!undecided(entry)) return
      const { retry_after } = entry.outcome
      await pause(retry_after === undefined ? RECONNECT : Number(retry_after) * 1000)
      if (server.up === false) server = this.#choose()
    }
  }

  #choose(): Server {
    return this.#world.choose(this.#random)
  }
}
