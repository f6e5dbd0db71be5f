import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { HostPort, RedisLocation } from '../../../config/redis-location.ts'
import { StorageUnavailable } from '../../errors.ts'
import { connectReason, reasonOf } from './errors.ts'
import { end, reopen } from './lifecycle.ts'
import { DRIVER_OPTIONS, SUBSCRIBER_OPTIONS, sentinelEndpoint } from './options.ts'

// All in milliseconds.
/** How long the other Sentinels may answer after the first one that names a master. */
const GRACE = 200
/** How long the answers may take: connecting and answering have a timeout of the driver each. */
const ANSWERS_WITHIN = 2000
const SUBSCRIBE_AGAIN_AFTER = 1000
const PING_INTERVAL = 1000

// Each Sentinel reports here when it learns of another master, some before the others.
const CHANNEL = '+switch-master'

type SentinelLocation = RedisLocation & { kind: 'sentinel' }

/** A master, as a Sentinel names it. */
export interface NamedMaster extends HostPort {
  /** The age of the Sentinel's knowledge: grows with each failover. */
  epoch: number
}

/** The Sentinels of a master: which server they name, and when this changes. */
export class Sentinels {
  readonly #location: SentinelLocation
  readonly #listeners: (() => void)[] = []
  readonly #subscriptions: Redis[] = []
  #timer: NodeJS.Timeout | undefined
  /** Sentinels that others reported; they are asked if no configured one answers. */
  #reported: HostPort[] = []
  #closed = false

  constructor(location: SentinelLocation) {
    this.#location = location
  }

  /**
   * Returns the master that the Sentinel with the newest knowledge names.
   * @throws StorageUnavailable if none names one
   */
  async master(): Promise<NamedMaster> {
    try {
      return await this.#newest(this.#location.sentinels)
    } catch (error) {
      return this.#newest(this.#reported).catch(() => {
        throw error
      })
    }
  }

  /** Calls `listener` whenever a Sentinel reports another master, or may have reported one unheard. */
  watch(listener: () => void): void {
    this.#listeners.push(listener)
    if (this.#timer !== undefined || this.#closed) return
    for (const sentinel of this.#location.sentinels) this.#subscriptions.push(this.#subscribe(sentinel))
    this.#timer = setInterval(() => {
      // The driver closes a connection that does not answer.
      for (const redis of this.#subscriptions) if (redis.status === 'ready') redis.ping().catch(() => {})
    }, PING_INTERVAL).unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await Promise.all(this.#subscriptions.map(end))
  }

  async #newest(sentinels: readonly HostPort[]): Promise<NamedMaster> {
    const answers: NamedMaster[] = []
    const asked = sentinels.map(async (sentinel) => {
      answers.push(await this.#ask(sentinel))
    })
    const late = delay(ANSWERS_WITHIN, undefined, { ref: false }).then(() => {
      throw new StorageUnavailable('no Sentinel answers in time')
    })
    late.catch(() => {})
    const settled = Promise.allSettled(asked.map((answer) => Promise.race([answer, late])))
    // A Sentinel that hangs must not delay the others.
    const enough = Promise.any(asked).then(() => delay(GRACE, undefined, { ref: false }))
    await Promise.race([settled, enough.catch(() => settled)])
    const [newest] = answers.toSorted((one, other) => other.epoch - one.epoch)
    if (newest !== undefined) return newest
    const failures = (await settled).flatMap((result) =>
      result.status === 'rejected' ? [reasonOf(result.reason)] : [],
    )
    throw new StorageUnavailable(
      failures.find((reason) => reason === this.#unknown) ??
        `no Sentinel answers: ${failures[0] ?? 'there is none'}`,
    )
  }

  /** @throws StorageUnavailable if the Sentinel knows no such master; errors of the driver */
  async #ask(sentinel: HostPort): Promise<NamedMaster> {
    const { name } = this.#location
    const redis = new Redis({
      ...DRIVER_OPTIONS,
      ...sentinelEndpoint(this.#location, sentinel),
      protocol: 2,
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: () => null,
    })
    let trouble: unknown
    redis.on('error', (error) => {
      trouble ??= error
    })
    try {
      await redis.connect()
      // In this order: an address is never older than the epoch that is read before it.
      const commands = redis
        .pipeline()
        .call('SENTINEL', 'MASTER', name)
        .call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)
        .call('SENTINEL', 'SENTINELS', name)
      const [[, state] = [], [failure, address] = [], [, others] = []] = (await commands.exec()) ?? []
      if (failure) throw failure
      if (!Array.isArray(address)) throw new StorageUnavailable(this.#unknown)
      this.#reported = Array.isArray(others) ? others.flatMap(placeOf) : []
      const epoch = Number(field(state, 'config-epoch') ?? 0)
      return { host: String(address[0]), port: Number(address[1]), epoch }
    } catch (error) {
      if (error instanceof StorageUnavailable || redis.status === 'ready') throw error
      throw new StorageUnavailable(connectReason(redis, trouble))
    } finally {
      redis.disconnect()
    }
  }

  get #unknown(): string {
    return `the Sentinels know no master named ${this.#location.name}`
  }

  #subscribe(sentinel: HostPort): Redis {
    const redis = new Redis({
      ...SUBSCRIBER_OPTIONS,
      ...sentinelEndpoint(this.#location, sentinel),
      enableReadyCheck: false,
      retryStrategy: () => SUBSCRIBE_AGAIN_AFTER,
    })
    redis.on('ready', () => {
      redis.subscribe(CHANNEL).then(
        () => this.#tell(),
        () => redis.status === 'ready' && redis.disconnect(true),
      )
    })
    redis.on('message', (_channel: string, text: string) => {
      if (text.startsWith(`${this.#location.name} `)) this.#tell()
    })
    // The caller that asks the Sentinels for the master gets the error.
    redis.on('error', () => {})
    reopen(redis, () => this.#closed)
    return redis
  }

  #tell(): void {
    if (!this.#closed) for (const listener of this.#listeners) listener()
  }
}

/** The value of a field in a reply of the form field, value, field, value, … */
function field(reply: unknown, name: string): string | undefined {
  if (!Array.isArray(reply)) return undefined
  const index = reply.indexOf(name)
  return index === -1 ? undefined : String(reply[index + 1])
}

/** The address of a Sentinel that another one reports as reachable. */
function placeOf(reply: unknown): HostPort[] {
  const [host, port, flags = ''] = ['ip', 'port', 'flags'].map((name) => field(reply, name))
  return host && port && !/disconnected|s_down/.test(flags) ? [{ host, port: Number(port) }] : []
}
