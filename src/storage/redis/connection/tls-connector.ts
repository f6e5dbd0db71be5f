import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { AbstractConnector, type RedisOptions } from 'ioredis'
import type { HostPort } from '../../../config/redis-location.ts'

/** How the driver connects with TLS. */
export class TlsConnector extends AbstractConnector {
  readonly #place: HostPort

  /** @param options the RedisOptions of the connection; the driver calls them unknown */
  constructor(options: unknown) {
    const { disconnectTimeout = 0, host = 'localhost', port = 6379 } = options as RedisOptions
    super(disconnectTimeout)
    this.#place = { host, port }
  }

  override async connect() {
    this.connecting = true
    // As the driver's own connector: until then, the attempt can be interrupted.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    if (!this.connecting) throw new Error('the attempt to connect was interrupted')
    this.stream = openTls(this.#place)
    this.stream.on('error', (error) => {
      this.firstError ??= error
    })
    return this.stream
  }
}

/**
 * Opens a connection with TLS. Its owner must listen to every `error`: a socket that is ended during its handshake may
 * report a second one after that of the certificate.
 */
export function openTls({ host, port }: HostPort): TLSSocket {
  // Server Name Indication takes names only (RFC 6066 §3).
  return connect({ host, port, ...(isIP(host) === 0 && { servername: host }) })
}
