import { connect } from 'node:tls'
import { AbstractConnector, type RedisOptions } from 'ioredis'

/**
 * How the driver connects with TLS. A socket that is ended during its handshake may report a second error after that of
 * the certificate; the driver listens to one, and another one without a listener would end the process.
 */
export class TlsConnector extends AbstractConnector {
  readonly #options: RedisOptions

  /** @param options the RedisOptions of the connection; the driver calls them unknown */
  constructor(options: unknown) {
    const given = options as RedisOptions
    super(given.disconnectTimeout ?? 0)
    this.#options = given
  }

  override async connect() {
    this.connecting = true
    // As the driver's own connector: until then, the attempt can be interrupted.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    if (!this.connecting) throw new Error('the attempt to connect was interrupted')
    const { host, port = 6379, tls } = this.#options
    this.stream = connect({ host, port, ...tls })
    this.stream.on('error', (error) => {
      this.firstError ??= error
    })
    return this.stream
  }
}
