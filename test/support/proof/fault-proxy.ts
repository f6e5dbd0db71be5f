// A proxy to Redis that fails on demand, at the n-th command of the storage, in one of the ways of networks.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { FaultyLink } from './faulty-link.ts'

/**
 * A fault of a command. A TCP connection never loses a part of its stream, so with a lost reply
 * everything after it is lost.
 */
export const FAULTS = [
  /** It runs; its reply and everything after it is not delivered, and the connection stays open. */
  'reply lost',
  /** It runs; the connection is closed instead of its reply. */
  'reply lost, connection cut',
  /** It runs; its reply is delivered when release() is called. */
  'reply late',
  /** It runs when release() is called, even if the client has disconnected by then. */
  'command late',
  /** It never runs: the connection is closed. */
  'cut before',
  /** It is forwarded, and the connection is closed without waiting. */
  'cut after',
  /** It never runs: the reply is that of a master that became a replica. */
  'READONLY',
] as const
export type Fault = (typeof FAULTS)[number]

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => Promise<void>): unknown
}

interface Armed {
  fault: Fault
  /** How many commands to forward first. */
  skip: number
  /** How many commands it applies to after that. */
  times: number
}

/** The name of the storage's connection; faults do not apply to others. */
const MAIN = 'redmint'
const SET_UP = new Set(['hello', 'client', 'info', 'ping', 'select', 'auth', 'quit', 'readonly', 'command'])
/** Background commands of replicas. */
const BACKGROUND = /:probe:|:(signing|sealing)-keys$/

export class FaultProxy {
  readonly #sockets = new Set<Socket>()
  readonly #held = new Set<() => void>()
  #port = 0
  #armed: Armed | undefined
  /** The commands that the fault applied to since it was armed, with their arguments. */
  hit: (readonly string[])[] = []

  /** Opens a proxy to the Redis at this loopback port. It is closed at the end of the test. */
  static async open(t: Owner, redisPort: number): Promise<FaultProxy> {
    const proxy = new FaultProxy()
    const server = createServer((client) => proxy.#accept(client, redisPort)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    proxy.#port = (server.address() as AddressInfo).port
    t.teardown(async () => {
      for (const socket of proxy.#sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    })
    return proxy
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`
  }

  /** Applies a fault to the n-th command of the storage from now on, and to the following ones up to `times`. */
  arm(fault: Fault, n: number, times = 1): void {
    this.hit = []
    this.#armed = { fault, skip: n - 1, times }
  }

  disarm(): void {
    this.#armed = undefined
  }

  /** Releases everything that is delayed. */
  release(): void {
    for (const go of this.#held) go()
    this.#held.clear()
  }

  #accept(client: Socket, redisPort: number): void {
    const redis = connect(redisPort, '127.0.0.1')
    for (const socket of [client, redis]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true).on('close', () => this.#sockets.delete(socket))
    }
    new FaultyLink(client, redis, {
      main: MAIN,
      judge: (words) => this.#judge(words),
      hold: (go) => this.#held.add(go),
    })
  }

  #judge(words: readonly string[]): Fault | undefined {
    const armed = this.#armed
    const name = (words[0] ?? '').toLowerCase()
    if (!armed || SET_UP.has(name) || words.some((word) => BACKGROUND.test(word))) return undefined
    if (armed.skip > 0) {
      armed.skip -= 1
      return undefined
    }
    if (armed.times === 0) return undefined
    armed.times -= 1
    this.hit.push(words)
    return armed.fault
  }
}
