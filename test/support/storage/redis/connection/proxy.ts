// A proxy before Redis that loses, delays or drops scripts, as a network may.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { RedisServer } from '../../../redis-server.ts'

/**
 * What happens to a script. `lose`: it runs, and its reply is lost; `hold`: it waits for `deliver`; `drop`: it never
 * arrives; `refuse`: neither scripts nor new connections get through; `hang`: nothing more arrives on its connection.
 */
export type Fate = 'lose' | 'hold' | 'drop' | 'refuse' | 'hang' | 'pass'

const SCRIPT = /\r\neval(sha)?\r\n/i

export interface Proxy {
  url: string
  /** Sets the treatment of the next scripts, one by one, and of all that follow. */
  treat(fates: readonly Fate[], rest?: Fate): void
  /** Sends the held scripts to Redis; their replies are discarded. */
  deliver(): Promise<void>
}

/**
 * Starts a proxy. Losing, holding or dropping a script also closes its connection.
 * @param treated other commands that it treats, instead of scripts
 */
export async function startProxy(t: Test, redis: RedisServer, treated = SCRIPT): Promise<Proxy> {
  let fates: Fate[] = []
  let rest: Fate = 'pass'
  let held: { upstream: Socket; request: Buffer }[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (rest === 'refuse' && fates.length === 0) return void client.destroy()
    const upstream = connect(redis.port, '127.0.0.1')
    let losing = false
    let hangs = false
    const holds = () => held.some((one) => one.upstream === upstream)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.on('close', () => holds() || upstream.destroy())
    upstream.on('close', () => client.destroy())
    client.on('data', (request) => {
      const fate = treated.test(request.toString('latin1')) ? (fates.shift() ?? rest) : 'pass'
      if (fate === 'hang') hangs = true
      if (hangs) return
      if (fate === 'hold') held.push({ upstream, request })
      if (fate === 'hold' || fate === 'drop' || fate === 'refuse') client.destroy()
      else {
        losing = fate === 'lose'
        upstream.write(request)
      }
    })
    upstream.on('data', (reply) => {
      if (losing) client.destroy()
      else client.write(reply)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `redis://127.0.0.1:${port}`,
    treat(next, following = 'pass') {
      fates = [...next]
      rest = following
    },
    async deliver() {
      if (held.length === 0) throw new Error('no script was held')
      for (const { upstream, request } of held) {
        upstream.write(request)
        await once(upstream, 'data')
      }
      for (const { upstream } of held) upstream.destroy()
      held = []
    },
  }
}
