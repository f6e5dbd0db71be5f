import type { Redis } from 'ioredis'

type Callback = (error: Error | null | undefined, text?: string) => void

/**
 * Keeps a client of the driver from printing, and returns it. Before a connection is ready, the driver reads INFO, to see
 * whether Redis is loading its data, and prints a line if the user of Redis has no right to it.
 */
export function quiet(client: Redis): Redis {
  const info = client.info.bind(client) as (...args: readonly unknown[]) => Promise<string>
  client.info = (async (...args: readonly unknown[]) => {
    const [callback] = args
    if (!isCallback(callback)) return info(...args)
    // An answer without lines: Redis is not loading.
    return info((error: Error | null | undefined, text?: string) =>
      error?.message.startsWith('NOPERM') ? callback(null, '') : callback(error, text),
    )
  }) as Redis['info']
  return client
}

/** Whether it is the driver that asks: redmint waits for promises. */
function isCallback(argument: unknown): argument is Callback {
  return typeof argument === 'function'
}
