import { EventEmitter } from 'node:events'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests of one connection may be unanswered: one in progress, and those that wait for it. */
export const MAX_UNANSWERED = 16

type Exchange = [request: IncomingMessage, response: ServerResponse]

interface TurnEvents {
  /** A request has its turn: it is handled at the end of this turn of the event loop. */
  start: [response: ServerResponse]
  /** A response was sent, or its connection has closed. */
  end: []
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
  /** The responses in progress, at most one of each connection. */
  readonly unanswered = new Set<ServerResponse>()
  readonly #waiting = new WeakMap<Socket, Exchange[]>()
  #started: Exchange[] = []
  #handler: RequestListener = () => undefined

  /** Returns a listener for the requests of a server, which calls the handler when it is their turn. */
  handle(handler: RequestListener): RequestListener {
    this.#handler = handler
    return (request, response) => this.#receive(request, response)
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const waiting = this.#waiting.get(socket)
    if (waiting === undefined) {
      this.#waiting.set(socket, [])
      this.#start([request, response])
    } else if (waiting.length + 1 < MAX_UNANSWERED) {
      waiting.push([request, response])
    } else if (!socket.destroyed) {
      // Nothing that it has sent since is kept.
      waiting.length = 0
      socket.destroy()
      this.emit('excess')
    }
  }

  #start(exchange: Exchange): void {
    const [request, response] = exchange
    this.unanswered.add(response)
    this.emit('start', response)
    response.once('close', () => {
      this.unanswered.delete(response)
      this.#next(request.socket)
      this.emit('end')
    })
    if (this.#started.length === 0) setImmediate(() => this.#handleStarted())
    this.#started.push(exchange)
  }

  #handleStarted(): void {
    const started = this.#started
    this.#started = []
    for (const [request, response] of started) this.#handler(request, response)
  }

  #next(socket: Socket): void {
    // After an answer with `Connection: close` nothing more is answered (RFC 9112 §9.6).
    const next = socket.writable ? this.#waiting.get(socket)?.shift() : undefined
    if (next === undefined) this.#waiting.delete(socket)
    else this.#start(next)
  }
}
