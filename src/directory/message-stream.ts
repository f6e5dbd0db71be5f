import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { DirectoryFailure } from './failure.ts'

/** The longest answer to one question, in bytes, and how many messages it may have. */
export const MAX_ANSWER = 1_048_576
const MAX_MESSAGES = 2_000

const [INTEGER, ENUMERATED, SEQUENCE] = [0x02, 0x0a, 0x30]
const [BIND_RESULT, SEARCH_ENTRY, SEARCH_RESULT, SEARCH_REFERENCE, EXTENDED_RESULT] = [
  0x61, 0x64, 0x65, 0x73, 0x78,
]
const RESULTS: readonly number[] = [BIND_RESULT, SEARCH_RESULT]

/** The operations that the answer to a question is made of (RFC 4511 §4.2.2 and §4.5.2). */
export const ANSWERS = {
  bind: [BIND_RESULT],
  search: [SEARCH_ENTRY, SEARCH_REFERENCE, SEARCH_RESULT],
} as const satisfies Readonly<Record<string, readonly number[]>>

/**
 * A connection whose readers get one whole LDAP message at a time (RFC 4511 §5.1): the library reads what is left by calling
 * itself, so that many short messages in one piece would end the process. What one question may bring is bounded. An
 * answer of another operation ends the connection, and a result without a code: the library takes both for success.
 */
export class MessageStream extends Duplex {
  /** What the library asks of a socket that is connected already. */
  readonly connecting = false
  readonly readyState = 'open'
  readonly #socket: Socket
  #pieces: Buffer[] = []
  #length = 0
  #bytes_left = MAX_ANSWER
  #messages_left = MAX_MESSAGES
  #expected: readonly number[] = []

  constructor(socket: Socket) {
    super({ readableObjectMode: true })
    this.#socket = socket
    // Who waits for an answer is told; nobody may wait.
    this.on('error', () => {})
    socket.on('data', (piece: Buffer) => this.#take(piece))
    socket.on('error', () => this.destroy(new DirectoryFailure('closed')))
    socket.on('close', () => this.destroy(new DirectoryFailure('closed')))
  }

  /** Allows a new answer. */
  expectAnswer(to: keyof typeof ANSWERS): void {
    this.#expected = ANSWERS[to]
    this.#bytes_left = MAX_ANSWER
    this.#messages_left = MAX_MESSAGES
  }

  /** Whether the process goes on because of this connection. */
  keepsProcess(keeps: boolean): void {
    if (keeps) this.#socket.ref()
    else this.#socket.unref()
  }

  override _read(): void {}

  override _write(piece: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(piece, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  #take(piece: Buffer): void {
    if (this.destroyed) return
    this.#bytes_left -= piece.length
    this.#pieces.push(piece)
    this.#length += piece.length
    if (this.#bytes_left < 0 || !this.#giveMessages()) this.destroy(new DirectoryFailure('malformed'))
  }

  /** Gives readers the messages that are there; false if they are none. */
  #giveMessages(): boolean {
    while (this.#length > 0) {
      // The pieces of a long message are put together once: before its length is known, there are few of them.
      const is_short = (this.#pieces[0]?.length ?? 0) < MAX_HEADER
      const size = messageSize(is_short ? this.#joined() : (this.#pieces[0] as Buffer))
      if (size === 'malformed') return false
      if (size === undefined || size > this.#length) return true
      this.#messages_left -= 1
      if (this.#messages_left < 0) return false
      const all = this.#joined()
      this.#pieces = all.length === size ? [] : [all.subarray(size)]
      this.#length = all.length - size
      const message = all.subarray(0, size)
      if (!isPartOf(this.#expected, message)) return false
      this.push(message)
    }
    return true
  }

  #joined(): Buffer {
    const [only] = this.#pieces
    const all = this.#pieces.length === 1 && only !== undefined ? only : Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }
}

/** The tag, and a length of five bytes. */
const MAX_HEADER = 6

/**
 * Returns how many bytes the message has that begins here (X.690 §8.1.3); undefined: too few are there to say it.
 */
export function messageSize(bytes: Uint8Array): number | undefined | 'malformed' {
  return bytes[0] === SEQUENCE ? sizeOf(bytes) : 'malformed'
}

function sizeOf(bytes: Uint8Array): number | undefined | 'malformed' {
  const [, length] = bytes
  if (length === undefined) return undefined
  if (length < 0x80) return 2 + length
  const octets = length - 0x80
  if (octets === 0 || octets > 4) return 'malformed'
  if (bytes.length < 2 + octets) return undefined
  const size = bytes.subarray(2, 2 + octets).reduce((sum, octet) => sum * 256 + octet, 0)
  return size > MAX_ANSWER ? 'malformed' : 2 + octets + size
}

/** The element that begins here, and what follows it; undefined: none that is whole. */
function elementIn(bytes: Buffer) {
  const size = sizeOf(bytes)
  if (typeof size !== 'number' || size > bytes.length) return undefined
  const [tag, length = 0] = bytes
  const start = length < 0x80 ? 2 : 2 + length - 0x80
  return { tag, content: bytes.subarray(start, size), rest: bytes.subarray(size) }
}

/** Whether a message is a part of an answer of these operations, or what the directory says unasked (RFC 4511 §4.4). */
function isPartOf(operations: readonly number[], message: Buffer): boolean {
  const id = elementIn(elementIn(message)?.content ?? Buffer.alloc(0))
  const operation = id && elementIn(id.rest)
  if (id?.tag !== INTEGER || operation?.tag === undefined) return false
  // The library passes over what has the id of no question.
  if (operation.tag === EXTENDED_RESULT) return id.content.equals(Buffer.of(0))
  if (!operations.includes(operation.tag)) return false
  if (!RESULTS.includes(operation.tag)) return true
  const code = elementIn(operation.content)
  return code?.tag === ENUMERATED && code.content.length > 0
}
