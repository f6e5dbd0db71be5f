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

type Exchange = [request: IncomingMessage, response: ServerResponse]

interface TurnEvents {
  /** A request has its turn: it is handled at the end of this turn of the event loop. */
  start: [response: ServerResponse]
  /** A response was sent, or its connection has closed. */
  end: [response: ServerResponse]
  /** A connection was closed because it had too many unanswered requests. */
  excess: []
}

/**
 * Handles the requests of a connection one after the other. Node parses all the requests that a peer sends without
 * waiting (RFC 9112 §9.3.2) and handles them at once, thousands in one turn of the event loop, and keeps every answer
 * until it is read. Here the next one starts when the answer before it was sent, and an excess closes the connection.
 *
 * What arrives in one turn of the event loop, on all connections, is handled together at its end. That is a third
 * cheaper than to handle each request while its bytes are read, if the handler waits for nothing.
 */
export class Turns extends EventEmitter<TurnEvents> {
  // It changes with connections, not with requests: a Set or Map that changes all the time keeps much garbage alive,
  // because each of its old tables refers to the next one.
  readonly #connections = new Map<Socket, Connection>()
  #handler: RequestListener = () => undefined
  #started: Exchange[] = []
  #unanswered = 0

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
      this.#start(connection, [request, response])
    } else if (waiting.length + 1 < MAX_UNANSWERED) {
      waiting.push([request, response])
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
    for (const [request, response] of started) this.#handler(request, response)
  }
}
