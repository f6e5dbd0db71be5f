import type { Redis } from 'ioredis'

type Callback = (error: Error | null | undefined, text?: string) => void

/**
 * Keeps a client of the driver from printing, and returns it. Before a connection is ready, the driver reads INFO, to see
 * whether Redis is loading its data, and prints a line if the user of Redis has no right to it.
 */
export function quiet(client: Redis): Redis {
  const info = client.info.bind(client) as (callback?: Callback) => Promise<string>
  // An answer without lines: Redis is not loading.
  const permitted = (callback?: Callback): Promise<string> =>
    info((error, text) =>
      error?.message.startsWith('NOPERM') ? callback?.(null, '') : callback?.(error, text),
    )
  client.info = permitted as Redis['info']
  return client
}
