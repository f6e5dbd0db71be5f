import { Cluster, type Redis } from 'ioredis'
import { DRIVER_OPTIONS } from './options.ts'

/** How long a client that has given up rests, in milliseconds. */
const REOPENING_DELAY = 500

/** Reconnects a client that has given up, as the driver does when an attempt to connect is interrupted. */
export function reopen(client: Redis | Cluster, isClosed: () => boolean): void {
  client.on('end', () => {
    const again = () => isClosed() || client.connect().catch(() => {})
    if (!isClosed()) setTimeout(again, REOPENING_DELAY).unref()
  })
}

/** Closes a client; resolves when its connections are closed. */
export async function end(client: Redis | Cluster): Promise<void> {
  if (client.status === 'end') return
  // Between two attempts there is no connection, and the driver emits no `end`.
  if (client.status === 'reconnecting') return client.disconnect()
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, 2 * DRIVER_OPTIONS.disconnectTimeout)
    client.once('end', () => {
      clearTimeout(timer)
      resolve()
    })
    client.disconnect()
  })
}

/** Resolves when a client is connected; in a Cluster, to every master. */
export async function connected(client: Redis | Cluster): Promise<void> {
  await ready(client)
  if (client instanceof Cluster) await Promise.all(client.nodes('master').map(ready))
}

/** Resolves when a client is connected. */
export function ready(client: Redis | Cluster): Promise<void> {
  if (client.status === 'ready') return Promise.resolve()
  return new Promise((resolve) => {
    client.once('ready', resolve)
  })
}
