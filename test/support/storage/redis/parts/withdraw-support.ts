// Operations whose replies are lost, on a Redis that two storages share.
import type { Test } from 'tap'
import { RedisKeys } from '../../../../../src/storage/redis/keys.ts'
import type { Storage } from '../../../../../src/storage/storage.ts'
import type { RedisSide } from '../../../contract/subject.ts'
import type { RedisServer } from '../../../redis-server.ts'
import { until } from '../../../until.ts'
import { startProxy } from '../connection/proxy.ts'
import { open, PREFIX, unavailable, writable } from '../support.ts'

const KEYS = new RedisKeys(PREFIX)
/** How often a storage sends an operation before it withdraws it. */
export const UNHEARD = ['lose', 'lose'] as const
export const HELD = ['hold', 'hold'] as const

/** Two replicas: one connected through a proxy, the other directly. */
export async function twoReplicas(t: Test, server: RedisServer) {
  const proxy = await startProxy(t, server)
  const [near, far] = [proxy.url, server.url].map((url) => open(t, { kind: 'single', url }))
  if (near === undefined || far === undefined) throw new TypeError()
  await Promise.all([writable(near.storage), writable(far.storage)])
  const redis: RedisSide = {
    prefix: PREFIX,
    cli: server.cli,
    all: async (...command) => [await server.cli(...command)],
  }
  const { storage } = near
  const { storage: other } = far

  /**
   * The remaining lifetime of a withdrawal mark in milliseconds; -1: no expiry, -2: none, or only that of an operation
   * that was sent again.
   */
  const mark = async (grant: string, operation: string) => {
    const key = KEYS.withdrawn(grant, operation)
    return (await server.cli('GET', key)) === 'again' ? -2 : Number(await server.cli('PTTL', key))
  }
  const withdrawn = (grant: string, operation: string) =>
    until(`${operation} is withdrawn`, async () => (await mark(grant, operation)) !== -2)

  /** Runs an operation whose reply is lost, and delays its withdrawal until `meanwhile` has finished. */
  const unheard = async (
    { grant, operation, secrets }: { grant: string; operation: string; secrets: string[] },
    run: (storage: Storage) => Promise<unknown>,
    meanwhile: (other: Storage) => Promise<unknown> = async () => {},
  ) => {
    proxy.treat(UNHEARD, 'drop')
    await unavailable(t, { [operation]: () => run(storage) }, secrets)
    t.equal(await mark(grant, operation), -2, 'not withdrawn yet')
    await meanwhile(other)
    proxy.treat([])
    await withdrawn(grant, operation)
  }
  /** How often the first replica has sent an operation. */
  const operations = () =>
    (['redeem-code', 'refresh-token'] as const).reduce(
      (sum, name) => sum + (storage.timings?.[name]?.calls ?? 0),
      0,
    )
  return { proxy, redis, storage, other, lines: near.lines, mark, withdrawn, unheard, operations }
}

/** The secret parts of the token strings, which no error may contain. */
export const secretsOf = (...tokens: (string | undefined)[]) =>
  tokens.flatMap((token) => (token === undefined ? [] : [token.slice(17)]))
