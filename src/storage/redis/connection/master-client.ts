import { createConnection } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { AbstractConnector, Redis } from 'ioredis'
import type { HostPort, RedisLocation } from '../../../config/redis-location.ts'
import { StorageUnavailable } from '../../errors.ts'
import { quiet } from './driver.ts'
import { access, DRIVER_OPTIONS } from './options.ts'
import type { NamedMaster, Sentinels } from './sentinels.ts'
import { openTls } from './tls-connector.ts'

/** The minimum time between two questions to the Sentinels, in milliseconds. */
const REVIEW_INTERVAL = 500

type Emit = (type: string, error: Error) => void

/**
 * A client of the master that the Sentinels name. It leaves a server as soon as they name another one: a deposed master
 * that is still alive takes writes for some seconds, and loses them.
 */
export class MasterClient {
  readonly client: Redis
  readonly #sentinels: Pick<Sentinels, 'master' | 'watch'>
  /** The server of the last connection, and the newest epoch in which it was the master. */
  #server: NamedMaster | undefined
  #reviewing = false
  #reviewAgain = false

  constructor(
    location: RedisLocation & { kind: 'sentinel' },
    sentinels: Pick<Sentinels, 'master' | 'watch'>,
  ) {
    this.#sentinels = sentinels
    this.client = quiet(
      new Redis({
        ...DRIVER_OPTIONS,
        ...access(location),
        Connector: this.#connector(location.tls === true),
        reconnectOnError: (error) => {
          // A master whose replicas follow another one; or they are only away, and this is still the master.
          if (error.message.includes('NOREPLICAS')) this.#review()
          return DRIVER_OPTIONS.reconnectOnError.call(this.client, error)
        },
      }),
    )
    this.client.on('ready', () => this.#review())
    sentinels.watch(() => this.#review())
  }

  /** The address of the connected server. */
  get place(): HostPort | undefined {
    return this.client.status === 'ready' ? this.#server : undefined
  }

  /** Asks the Sentinels now; if they were asked a moment ago, as soon as they may be asked again. */
  #review(): void {
    if (this.#reviewing) {
      this.#reviewAgain = true
      return
    }
    this.#reviewing = true
    this.#reviewAgain = false
    void this.#compare().finally(async () => {
      await delay(REVIEW_INTERVAL, undefined, { ref: false })
      this.#reviewing = false
      if (this.#reviewAgain) this.#review()
    })
  }

  async #compare(): Promise<void> {
    const named = await this.#sentinels.master().catch(() => undefined)
    const server = this.#server
    // A new connection is reviewed when it is ready: interrupting an attempt to connect can end the driver's client.
    if (named === undefined || server === undefined || this.client.status !== 'ready') return
    // Only Sentinels that are behind answer.
    if (named.epoch < server.epoch) return
    if (named.host === server.host && named.port === server.port) server.epoch = named.epoch
    else this.client.stream.destroy(new StorageUnavailable('the Sentinels name another master'))
  }

  /** How the driver connects: it has a connector for Sentinels too, but that one trusts the first that answers. */
  #connector(tls: boolean) {
    const sentinels = this.#sentinels
    const found = (server: NamedMaster) => {
      this.#server = server
    }
    return class extends AbstractConnector {
      #emit: Emit | undefined

      constructor() {
        super(DRIVER_OPTIONS.disconnectTimeout)
      }

      /** Whether the connected server is a master, according to its INFO. */
      override check(info: { role?: string }): boolean {
        if (info.role !== 'slave') return true
        this.#emit?.('error', new StorageUnavailable('it is a replica'))
        return false
      }

      override async connect(emit: Emit) {
        this.#emit = emit
        this.connecting = true
        for (let attempt = 1; ; attempt += 1) {
          const server = await sentinels.master().catch((error: Error) => {
            emit('error', error)
          })
          if (!server) await delay(DRIVER_OPTIONS.retryStrategy(attempt), undefined, { ref: false })
          if (!this.connecting) throw new Error('the attempt to connect was interrupted')
          if (!server) continue
          found(server)
          const { host, port } = server
          this.stream = tls ? openTls(server) : createConnection({ host, port })
          this.stream.on('error', (error) => {
            this.firstError ??= error
          })
          return this.stream
        }
      }
    }
  }
}
