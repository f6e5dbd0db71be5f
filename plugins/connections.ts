import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import fp from 'fastify-plugin'
import { addressIn } from '../src/core/address.ts'
import { type IsTrusted, networkOf } from './address.ts'
import { MAX_UNANSWERED, MAX_WAIT_MS, type Turns } from './turns.ts'

interface ConnectionOptions {
  max_connections: number
  max_connections_per_peer: number
  /** A trusted proxy has the connections of many peers. */
  isTrusted: IsTrusted
  turns: Turns
  /** Milliseconds that closing waits for incomplete requests. */
  close_within: number
  /** Aborted when the process receives the signal to stop. */
  drain: AbortSignal | undefined
}

const WARN_EVERY_MS = 60_000

/**
 * Limits the number of connections, in all and of one peer, and closes them without losing a request: after `drain`
 * each response closes its connection, and closing the instance closes idle connections.
 */
export default fp<ConnectionOptions>(
  async (fastify, { turns, close_within, drain, ...limits }) => {
    const { server, log } = fastify
    const { max_connections, max_connections_per_peer } = limits

    server.maxConnections = max_connections
    const warnOfAll = atIntervals(() =>
      log.warn({ max_connections }, 'Connections are refused: there are too many.'),
    )
    server.on('drop', warnOfAll)
    const warnOfPeer = atIntervals((peer) =>
      log.warn(
        { peer, max_connections_per_peer },
        'Connections of a peer are refused: it has too many. If it is a proxy, name it in TRUSTED_PROXIES.',
      ),
    )
    limitPeers(server, limits, warnOfPeer)
    const warnOfExcess = atIntervals(() =>
      log.warn(
        { max_unanswered: MAX_UNANSWERED },
        'A connection was closed: it had too many unanswered requests.',
      ),
    )
    turns.on('excess', warnOfExcess)
    const warnOfLate = atIntervals(() =>
      log.warn({ max_wait_ms: MAX_WAIT_MS }, 'Requests are refused: they waited too long for their turn.'),
    )
    turns.on('late', warnOfLate)

    const closeAfter = (response: {
      headersSent: boolean
      setHeader(name: string, value: string): unknown
    }) => {
      if (!response.headersSent) response.setHeader('connection', 'close')
    }
    drain?.addEventListener('abort', () => turns.inProgress().forEach(closeAfter))
    turns.on('start', (response) => {
      if (drain?.aborted) closeAfter(response)
    })
    // While closing, Node waits for connections that have sent nothing yet, without a timeout.
    const endWhenAnswered = () => {
      if (turns.unanswered === 0) server.closeAllConnections()
    }
    turns.on('end', () => {
      if (!server.listening) endWhenAnswered()
    })
    fastify.addHook('preClose', async () => {
      if (server.listening) await untilQuiet(server)
      // Fastify closes the listener right after this hook.
      setImmediate(endWhenAnswered)
      setTimeout(() => server.closeAllConnections(), close_within).unref()
    })
  },
  { name: 'redmint-connections' },
)

/** After so many turns of the event loop in a row without a connection and a request, nothing waits to be read. */
const QUIET_TURNS = 8
/** More than the connections that can wait for a listener: peers that go on connecting are not waited for. */
const MAX_TURNS = 1024

/**
 * Resolves when what has arrived at the machine was read. In a turn of the event loop timers run before sockets are read,
 * and Node accepts one connection of a listener in a turn; the system resets those that wait when the listener closes.
 */
async function untilQuiet(server: Server): Promise<void> {
  let quiet = 0
  const restart = () => {
    quiet = 0
  }
  server.on('connection', restart).on('request', restart)
  for (let turns = 0; quiet < QUIET_TURNS && turns < MAX_TURNS; turns++) {
    quiet += 1
    await new Promise(setImmediate)
  }
  server.off('connection', restart).off('request', restart)
}

type PeerLimit = Pick<ConnectionOptions, 'max_connections_per_peer' | 'isTrusted'>

/** Closes a connection at once if its peer has too many. */
function limitPeers(
  server: Server,
  { max_connections_per_peer, isTrusted }: PeerLimit,
  warn: (peer: string) => void,
): void {
  const open = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const address = addressIn(socket.remoteAddress ?? '')
    // A peer that has gone already has no address.
    if (address === undefined || isTrusted(address)) return
    const peer = networkOf(address)
    const count = (open.get(peer) ?? 0) + 1
    if (count > max_connections_per_peer) {
      warn(peer)
      return void socket.destroy()
    }
    open.set(peer, count)
    socket.once('close', () => {
      const left = (open.get(peer) ?? 1) - 1
      if (left === 0) open.delete(peer)
      else open.set(peer, left)
    })
  })
}

/** Returns a function that calls another one, and then ignores calls for a while. */
function atIntervals<T extends unknown[]>(act: (...args: T) => void): (...args: T) => void {
  let acted = Number.NEGATIVE_INFINITY
  return (...args) => {
    if (performance.now() - acted < WARN_EVERY_MS) return
    acted = performance.now()
    act(...args)
  }
}
