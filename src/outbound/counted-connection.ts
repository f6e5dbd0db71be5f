import { Duplex } from 'node:stream'

/** The code of the error if the other side sent more octets than it may. */
export const TOO_LONG = 'ETOOLONG'

// A reader that ends the connection has read so many octets more at most.
const PIECE = 1024

/**
 * A connection that ends after so many octets from the other side, whatever they are: what TLS and the HTTP parser read
 * without an event, such as session tickets and empty lines, counts, too. It is read in small pieces, because Node
 * parses a piece to its end, also after a part of it ended the connection.
 */
export class CountedConnection extends Duplex {
  readonly #inner: Duplex
  #left: number

  /** @param max how many octets the other side may send */
  constructor(inner: Duplex, max: number) {
    super()
    this.#inner = inner
    this.#left = max
    inner.on('data', (octets: Buffer) => this.#receive(octets))
    inner.on('end', () => this.push(null))
    inner.on('error', (error) => this.destroy(error))
    inner.on('close', () => this.destroy())
  }

  #receive(octets: Buffer): void {
    // What fits is read before the rest ends it, so that an answer in time counts, however long its body is.
    const end = Math.min(octets.length, this.#left)
    this.#left -= end
    for (let start = 0; start < end && !this.destroyed; start += PIECE) {
      if (!this.push(octets.subarray(start, Math.min(start + PIECE, end)))) this.#inner.pause()
    }
    if (end < octets.length) {
      this.destroy(Object.assign(new Error('the other side sent too much'), { code: TOO_LONG }))
    }
  }

  override _read(): void {
    this.#inner.resume()
  }

  override _write(octets: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inner.write(octets, done)
  }

  override _final(done: () => void): void {
    this.#inner.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy()
    done(error)
  }
}
