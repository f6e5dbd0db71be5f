import { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests of one connection may be unanswered: one in progress, and those that wait for it. */
export const MAX_UNANSWERED = 16

/** A connection whose requests are handled. */
interface Connection {
  /** Its response in progress. */
  response: ServerResponse | undefined
  /** The requests that wait for it, and their responses. */
  readonly waiting: Exchange[]
}

type Exchange = [request: IncomingMessage, response: ServerResponse, arrived: number]

/** How long a request may wait for its turn, in milliseconds: with a second for storage, less than clients wait. */
export const MAX_WAIT_MS = 2000

const late = new WeakSet<IncomingMessage>()

/** Whether a request waited for its turn longer than its sender may wait for an answer. */
export function isLate(request: IncomingMessage): boolean {
  return late.has(request)
}

interface TurnEvents {
  /** A request has its turn: it is handled at the end of this turn of the event loop. */
  start: [response: ServerResponse]
  /** A response was sent, or its connection has closed. */
  end: [response: ServerResponse]
  /** A connection was closed because it had too many unanswered requests. */
  excess: []
  /** A request waited too long. */
  late: []
}

/**
 * Handles the requests of a connection one after the other. Node parses all the requests that a peer sends without
 * waiting (RFC 9112 §9.3.2) and handles them at once, thousands in one turn of the event loop, and keeps every answer
 * until it is read. Here the next one starts when the answer before it was sent, and an excess closes the connection.
 *
 * What arrives in one turn of the event loop, on all connections, is handled together at its end. That is a third
 * cheaper than to handle each request while its bytes are read, if the handler waits for nothing. What waits for too
 * long, as after an outage of storage when all clients come back together, is marked as late.
 */
export class Turns extends EventEmitter<TurnEvents> {
  // It changes with connections, not with requests: a Set or Map that changes all the time keeps much garbage alive,
  // because each of its old tables refers to the next one.
  readonly #connections = new Map<Socket, Connection>()
  readonly #now: () => number
  #handler: RequestListener = () => undefined
  #started: Exchange[] = []
  #unanswered = 0

  /** @param now milliseconds, by a clock that nobody sets */
  constructor(now = () => performance.now()) {
    super()
    this.#now = now
  }

  /** How many responses are in progress, at most one of each connection. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** Returns the responses in progress. */
  inProgress(): ServerResponse[] {
    return [...this.#connections.values()].flatMap(({ response }) => response ?? [])
  }

  /** Returns a listener for the requests of a server, which calls the handler when it is their turn. */
  handle(handler: RequestListener): RequestListener {
    this.#handler = handler
    return (request, response) => this.#receive(request, response)
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const connection = this.#connections.get(socket) ?? this.#connect(socket)
    const { waiting } = connection
    if (connection.response === undefined) {
      this.#start(connection, [request, response, this.#now()])
    } else if (waiting.length + 1 < MAX_UNANSWERED) {
      waiting.push([request, response, this.#now()])
    } else if (!socket.destroyed) {
      // Nothing that it has sent since is kept.
      waiting.length = 0
      socket.destroy()
      this.emit('excess')
    }
  }

  #connect(socket: Socket): Connection {
    const connection: Connection = { response: undefined, waiting: [] }
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#connections.delete(socket))
    return connection
  }

  #start(connection: Connection, exchange: Exchange): void {
    const [{ socket }, response] = exchange
    connection.response = response
    this.#unanswered++
    this.emit('start', response)
    response.on('close', () => {
      connection.response = undefined
      this.#unanswered--
      // After an answer with `Connection: close` nothing more is answered (RFC 9112 §9.6).
      const next = socket.writable ? connection.waiting.shift() : undefined
      if (next !== undefined) this.#start(connection, next)
      this.emit('end', response)
    })
    if (this.#started.length === 0) setImmediate(() => this.#handleStarted())
    this.#started.push(exchange)
  }

  #handleStarted(): void {
    const started = this.#started
    this.#started = []
    for (const [request, response, arrived] of started) {
      // Those before it in this turn, and on its connection, took that long: the deadline of a request begins here.
      if (this.#now() - arrived > MAX_WAIT_MS) {
        late.add(request)
        this.emit('late')
      }
      this.#handler(request, response)
    }
  }
}
