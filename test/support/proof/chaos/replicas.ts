// Three replicas as processes that are killed and restarted, and a balancer that knows which are up.
import { freePort, type Program, runServer } from '../../process.ts'
import { ISSUER } from '../../service.ts'
import type { Server } from '../client.ts'
import type { History } from '../history.ts'
import { eventually } from './eventually.ts'
import type { Owner } from './nodes.ts'
import type { Random } from './random.ts'

const NAMES = ['one', 'two', 'three'] as const
const DAY = '86400'
/** How many characters of a replica's output are shown if it fails. */
const PRINTED = 3000

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
    // Nothing may expire during a run.
    const lifetimes = { ACCESS_TOKEN_TTL: DAY, CODE_TTL: '600', PAR_TTL: '599' }
    this.#environment = {
      ...environment,
      ...lifetimes,
      ISSUER,
      DEMO: 'public',
      BEARER_CHECK_REVOCATION: 'true',
      // Many devices at once are answered by one user, and a fault may lose what forgives a look-up.
      SIGN_IN_FAILURES: '1000000',
      DEVICE_CODE_TTL: '3600',
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

  /**
   * Waits until all running replicas are ready.
   * @throws Error with what a replica printed last, if it is not ready within a minute
   */
  async ready(): Promise<void> {
    for (const replica of this.all) {
      const ready = () => fetch(`${replica.address}/actuator/health/readiness`)
      try {
        await eventually(`${replica.name} is ready`, async () => (await ready()).status === 200)
      } catch (error) {
        const { stdout, stderr } = replica.program
        throw new Error(`${(error as Error).message}; it printed last:\n${tail(stdout)}\n${tail(stderr)}`)
      }
      replica.up = true
    }
  }

  /** A replica that is up, chosen like a balancer does. */
  choose(random: Random): Server {
    return random.pick(this.all.filter(({ up }) => up))
  }

  /** Kills a replica without warning and restarts it at the same address. */
  async kill(random: Random, history: History): Promise<void> {
    const replica = random.pick(this.all)
    const back = history.killing(replica.name)
    replica.up = false
    await replica.program.stop('SIGKILL')
    replica.program = this.#run(Number(new URL(replica.address).port))
    await this.ready()
    back()
  }

  /** Stops a replica like an update does and restarts it. It must answer every request that it received. */
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

function tail(output: string): string {
  return output.slice(-PRINTED)
}
