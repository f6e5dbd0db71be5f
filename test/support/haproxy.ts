// A real HAProxy with the configuration in deploy/, on a free loopback port; it ends with the test.
import type { Test } from 'tap'
import { isRefused } from './half-sent.ts'
import { freePort, type Program, run } from './process.ts'
import { until } from './until.ts'

// Debian installs it where only the PATH of root looks.
const PATH = `${process.env.PATH}:/usr/sbin`

export interface Balancer extends Program {
  readonly address: string
  /** Whether it said that no server of a backend can be used. */
  lacks(backend: string): boolean
}

/**
 * Starts HAProxy before three replicas on loopback, and resolves when it listens; its log is its stdout.
 * @param further environment variables of the configuration
 * @throws if HAProxy ends before it listens; the message contains its log
 */
export async function startBalancer(
  t: Test,
  replicas: readonly number[],
  further: Readonly<Record<string, string>> = {},
): Promise<Balancer> {
  const port = await freePort()
  const [REPLICA_1 = '', REPLICA_2 = '', REPLICA_3 = ''] = replicas.map((replica) => `127.0.0.1:${replica}`)
  const environment = { PATH, BIND: `127.0.0.1:${port}`, REPLICA_1, REPLICA_2, REPLICA_3, ...further }
  const balancer = run(t, 'haproxy', ['-db', '-f', 'deploy/haproxy.cfg'], environment)
  let over = false
  balancer.ended.then(() => {
    over = true
  })
  await until('HAProxy listens', async () => {
    if (over) throw new Error(`haproxy ended before it listened:\n${balancer.stderr}`)
    return !(await isRefused(port))
  })
  const lacks = (backend: string) =>
    new RegExp(`backend '?${backend}'? has no server`).test(balancer.stdout + balancer.stderr)
  return Object.assign(balancer, { address: `http://127.0.0.1:${port}`, lacks })
}
