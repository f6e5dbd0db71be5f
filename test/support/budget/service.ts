// A service as in production, on a Redis whose commands are counted, and the counts of what it does for an exchange.

import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { Redis } from 'ioredis'
import type { Test } from 'tap'
import { createInstance } from '../../../instance.ts'
import { type ClientDefinition, formatClient } from '../../../src/clients/record/client-record.ts'
import type { AccessTokenFormat } from '../../../src/config/environment.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { CHEAP, RELYING_PARTIES, storeUsers } from '../accounts.ts'
import { CallbackClient, type Exchange } from '../callback-client.ts'
import { countCommands } from '../command-counter.ts'
import { DEVICES } from '../device.ts'
import { createClient, watchesAll } from '../records.ts'
import { callsIn } from '../redis-calls.ts'
import { startRedis } from '../redis-server.ts'
import { redisStorage } from '../redis-storage.ts'
import { CLIENTS, ISSUER, registerRedmint, useTestKeys } from '../service.ts'
import { until, untilAnswers } from '../until.ts'
import { countWrites } from '../write-counter.ts'

/** What some exchanges cost, together. */
export interface Cost {
  commands: number
  /** Writes to the socket of Redis. */
  writes: number
  bytes_sent: number
  bytes_received: number
  /** The commands that Redis ran, those inside its scripts included. */
  calls: number
  log_lines: number
  log_bytes: number
  headers: number
  header_bytes: number
}

export interface CountedService {
  readonly storage: Storage
  /** Plays an exchange, which does not count. */
  play(exchange: Exchange): Promise<void>
  /** Plays exchanges on one connection, one after the other, or each on a connection of its own, all at once. */
  measure(exchanges: readonly Exchange[], how: 'in turn' | 'at once'): Promise<Cost>
}

/** How many exchanges can be played at once. */
export const CONNECTIONS = 16
// What differs in length from run to run and from machine to machine.
const OF_THIS_RUN = /"(pid|hostname|responseTime)":("[^"]*"|[\d.e-]+),?/g
// What is done after an answer was sent, such as its log line, is over after so many turns of the event loop.
const TURNS_AFTER = 10

/** Starts a service with the clients and users of the tests, and more clients; it ends with the test. */
export async function startCounted(
  t: Pick<Test, 'teardown'>,
  access_token_format: AccessTokenFormat,
  more_clients: readonly ClientDefinition[] = [],
): Promise<CountedService> {
  const redis = await startRedis(t)
  const counter = await countCommands(t, redis.port)
  const admin = new Redis(redis.url)
  t.teardown(() => admin.disconnect())
  const storage = redisStorage(t, counter, 'test:')
  await untilAnswers(storage)
  await useTestKeys(storage)
  await storeUsers(storage)
  const clients = [
    ...Object.values(CLIENTS),
    ...Object.values(RELYING_PARTIES),
    ...Object.values(DEVICES),
    ...more_clients,
  ]
  for (const client of clients) await createClient(storage, client.client_id, formatClient(client))

  const log = { lines: 0, bytes: 0 }
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const text = chunk.toString().replace(OF_THIS_RUN, '')
      log.lines += text.split('\n').length - 1
      log.bytes += Buffer.byteLength(text)
      done()
    },
  })
  const fastify = createInstance({ level: 'info', stream })
  t.teardown(() => fastify.close())
  // The queue of logout notices is not looked at meanwhile.
  const backchannel = { timing: { poll: 86_400 } }
  // Explanations are kept, and written after all that is counted: their batch is no part of a request.
  const explain = { delay: 86_400_000 }
  // The account page writes what happened lately after an answer, at any time.
  const account_page = 'off' as const
  const settings = { ...CHEAP, issuer: ISSUER, access_token_format, sign_in_failures: 1000, account_page }
  await registerRedmint(fastify, { ...settings, backchannel, explain, storage })
  await fastify.listen({ host: '127.0.0.1', port: 0 })
  await until('the cached records are watched', () => watchesAll(storage))
  const { port } = fastify.server.address() as AddressInfo
  const connections = Array.from({ length: CONNECTIONS }, () => new CallbackClient(port))
  t.teardown(() => {
    for (const connection of connections) connection.close()
  })
  const [first = new CallbackClient(port)] = connections

  const inTurn = (exchanges: readonly Exchange[], over: (error?: Error) => void) => {
    const [exchange, ...rest] = exchanges
    if (exchange === undefined) return afterTurns(TURNS_AFTER, over)
    first.play(exchange, (error) => (error ? over(error) : inTurn(rest, over)))
  }
  const atOnce = (exchanges: readonly Exchange[], over: (error?: Error) => void) => {
    let left = exchanges.length
    let failure: Error | undefined
    for (const [index, exchange] of exchanges.entries()) {
      connections[index]?.play(exchange, (error) => {
        left -= 1
        failure ??= error
        if (left === 0) afterTurns(TURNS_AFTER, () => over(failure))
      })
    }
  }
  return {
    storage,
    play: (exchange) =>
      new Promise((resolve, reject) => {
        first.play(exchange, (error) => (error ? reject(error) : resolve()))
      }),
    async measure(exchanges, how) {
      const heads = { count: 0, bytes: 0 }
      const read = exchanges.map((exchange) => notingHeads(exchange, heads))
      const calls = await callsIn(admin)
      const before = { ...log }
      counter.take()
      counter.takeBytes()
      const play = how === 'in turn' ? inTurn : atOnce
      const writes = await new Promise<number>((resolve, reject) => {
        countWrites(
          counter.port,
          (over) => play(read, over),
          (error, counted) => (error ? reject(error) : resolve(counted)),
        )
      })
      const { sent, received } = counter.takeBytes()
      return {
        commands: counter.take().length,
        bytes_sent: sent,
        bytes_received: received,
        calls: (await callsIn(admin)) - calls,
        log_lines: log.lines - before.lines,
        log_bytes: log.bytes - before.bytes,
        headers: heads.count,
        header_bytes: heads.bytes,
        writes,
      }
    },
  }
}

function afterTurns(turns: number, done: () => void): void {
  if (turns === 0) done()
  else setImmediate(() => afterTurns(turns - 1, done))
}

/** The same exchange; counts the header lines of its answers and their bytes. */
function* notingHeads(exchange: Exchange, heads: { count: number; bytes: number }): Exchange {
  let step = exchange.next()
  while (!step.done) {
    const answer = yield step.value
    heads.count += answer.head.length - 1
    heads.bytes += answer.head.join('\r\n').length + 4
    step = exchange.next(answer)
  }
}
