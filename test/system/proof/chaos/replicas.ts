// Three replicas as real processes that are killed and started again, and the balancer that knows who is up.
import { freePort, type Program, runServer } from '../../../support/process.ts'
import { ISSUER } from '../../../support/service.ts'
import type { Server } from '../client.ts'
import type { History } from '../history.ts'
import { eventually } from './eventually.ts'
import type { Owner } from './places.ts'
import type { Random } from './random.ts'

const NAMES = ['one', 'two', 'three'] as const
const DAY = '86400'

export interface Replica extends Server {
  up: boolean
  program: Program
}

/** The replicas of one service. */
export class Replicas {
  readonly all: Replica[] = []
  readonly #owner: Owner
  readonly #environment: Record<string, string>

  constructor(owner: Owner, environment: Record<string, string>) {
    this.#owner = owner
    // Nothing may expire while a run takes its time.
    const lifetimes = { ACCESS_TOKEN_TTL: DAY, CODE_TTL: '600' }
    this.#environment = {
      ...environment,
      ...lifetimes,
      ISSUER,
      DEMO: 'true',
      BEARER_CHECK_REVOCATION: 'true',
    }
  }

  async start(): Promise<void> {
    for (const name of NAMES) {
      const port = await freePort()
      const replica = { name, address: `http://127.0.0.1:${port}`, up: false, program: this.#run(port) }
      this.all.push(replica)
    }
    await this.ready()
  }

  /** Waits until all that run are ready. */
  async ready(): Promise<void> {
    for (const replica of this.all) {
      const ready = () => fetch(`${replica.address}/actuator/health/readiness`)
      await eventually(`${replica.name} is ready`, async () => (await ready()).status === 200)
      replica.up = true
    }
  }

  /** One of those that are up, as a balancer chooses. */
  choose(random: Random): Server {
    return random.pick(this.all.filter(({ up }) => up))
  }

  /** Kills one without warning, and starts it again at the same address. */
  async kill(random: Random, history: History): Promise<void> {
    const replica = random.pick(this.all)
    const back = history.killing(replica.name)
    replica.up = false
    await replica.program.stop('SIGKILL')
    replica.program = this.#run(Number(new URL(replica.address).port))
    await this.ready()
    back()
  }

  /** Ends one as an update does, and starts it again. It owes an answer to all that it was sent. */
  async drain(random: Random): Promise<void> {
    const replica = random.pick(this.all)
    replica.up = false
    await replica.program.stop('SIGTERM')
    replica.program = this.#run(Number(new URL(replica.address).port))
    await this.ready()
  }

  #run(port: number): Program {
    return runServer(this.#owner, { ...this.#environment, PORT: String(port) })
  }
}
