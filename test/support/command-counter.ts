// A proxy before Redis that records the commands and counts the bytes that pass through it.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Test } from 'tap'
import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { watchesAll } from './records.ts'
import { until } from './until.ts'

/** What the proxy has recorded since the last call, without the connections of subscriptions. */
export interface CommandCounter {
  url: string
  port: number
  /** The names of the commands, in lower case. */
  take(): string[]
  /** The bytes to Redis and from Redis. */
  takeBytes(): Bytes
  /** How often commands followed answers: a part that a busy machine sends late counts, too. */
  takeTrips(): number
}

interface Bytes {
  sent: number
  received: number
}

/**
 * Starts a proxy for the Redis at this port of the loopback interface. Commands whose keys contain `apart` are not
 * recorded: what is written after an answer arrives at any time.
 */
export async function countCommands(
  t: Pick<Test, 'teardown'>,
  port: number,
  apart?: string,
): Promise<CommandCounter> {
  const connections = new Set<Connection>()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const connection = new Connection(apart)
    const redis = connect(port, '127.0.0.1')
    connections.add(connection)
    client.on('data', (chunk) => {
      connection.read(chunk)
      redis.write(chunk)
    })
    redis.on('data', (chunk) => {
      connection.received(chunk)
      client.write(chunk)
    })
    for (const [one, other] of [
      [client, redis],
      [redis, client],
    ] as const) {
      sockets.add(one)
      one.on('close', () => other.destroy()).on('error', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })
  const { port: own } = server.address() as AddressInfo
  return {
    url: `redis://127.0.0.1:${own}`,
    port: own,
    take: () => [...connections].flatMap((connection) => connection.take()),
    takeBytes() {
      const each = [...connections].map((connection) => connection.takeBytes())
      return {
        sent: each.reduce((sum, { sent }) => sum + sent, 0),
        received: each.reduce((sum, { received }) => sum + received, 0),
      }
    },
    takeTrips: () =>
      [...connections].map((connection) => connection.takeTrips()).reduce((sum, trips) => sum + trips, 0),
  }
}

/** Whether a server looks for work to end, which it does every five seconds, whatever is counted. */
const looksForEndings = (command: Buffer) => command.includes(':endings\r\n') && !command.includes('"what"')

/** The commands of one connection, parsed as RESP arrays of bulk strings. */
class Connection {
  readonly #apart: string | undefined
  #unread = Buffer.alloc(0)
  #commands: string[] = []
  #bytes: Bytes = { sent: 0, received: 0 }
  #trips = 0
  #has_answered = true
  #subscribes = false

  constructor(apart: string | undefined) {
    this.#apart = apart
  }

  received(chunk: Buffer): void {
    this.#bytes.received += chunk.length
    this.#has_answered = true
  }

  read(chunk: Buffer): void {
    this.#bytes.sent += chunk.length
    if (this.#has_answered) this.#trips += 1
    this.#has_answered = false
    this.#unread = Buffer.concat([this.#unread, chunk])
    for (;;) {
      const found = readCommand(this.#unread)
      if (found === undefined) return
      const command = this.#unread.subarray(0, found.end)
      const is_apart =
        looksForEndings(command) || (this.#apart !== undefined && command.includes(this.#apart))
      this.#unread = this.#unread.subarray(found.end)
      if (!is_apart) this.#commands.push(found.name)
      if (found.name === 'subscribe') this.#subscribes = true
    }
  }

  take(): string[] {
    const taken = this.#subscribes ? [] : this.#commands
    this.#commands = []
    return taken
  }

  takeBytes(): Bytes {
    const taken = this.#subscribes ? { sent: 0, received: 0 } : this.#bytes
    this.#bytes = { sent: 0, received: 0 }
    return taken
  }

  takeTrips(): number {
    const taken = this.#subscribes ? 0 : this.#trips
    this.#trips = 0
    return taken
  }
}

/** The first command, if it has arrived completely. */
function readCommand(bytes: Buffer): { name: string; end: number } | undefined {
  let at = 0
  const number = (sign: string): number | undefined => {
    const end = bytes.indexOf('\r\n', at)
    if (end === -1) return undefined
    if (String.fromCharCode(bytes[at] ?? 0) !== sign) throw new TypeError('not a RESP array of bulk strings')
    const value = Number(bytes.toString('latin1', at + 1, end))
    at = end + 2
    return value
  }
  const count = number('*')
  if (count === undefined) return undefined
  let name = ''
  for (let i = 0; i < count; i++) {
    const length = number('$')
    if (length === undefined || at + length + 2 > bytes.length) return undefined
    if (i === 0) name = bytes.toString('latin1', at, at + length).toLowerCase()
    at += length + 2
  }
  return { name, end: at }
}

/**
 * Returns a function that counts the commands of a request. A request during which the changes of records were not reported,
 * or the first one after that, is sent again: on a busy machine Redis may answer late, and what is cached is then read anew.
 */
export function countWith(storage: Pick<Storage, 'changes'>, counter: CommandCounter) {
  let losses = 0
  let warm_since: number | undefined = losses
  storage.changes.watch(CLIENT, { changed: () => {}, allChanged: () => void losses++ })
  return async <T>(prepare: () => Promise<() => Promise<T>>): Promise<{ answer: T; commands: string[] }> => {
    for (;;) {
      const send = await prepare()
      const before = losses
      counter.take()
      const answer = await send()
      const commands = counter.take()
      const is_steady = losses === before && watchesAll(storage)
      if (is_steady && warm_since === before) return { answer, commands }
      warm_since = is_steady ? before : undefined
      await until('changes are reported again', () => watchesAll(storage))
    }
  }
}
