import { Command } from 'ioredis'
import { commandText } from './command-text.ts'

/** A socket of the driver. */
export interface Corkable {
  /** The bytes that it holds back. */
  readonly writableLength: number
  cork(): void
  uncork(): void
}

// A burst of commands is not held back as a whole: the first ones would wait for the last, and might time out.
const MAX_HELD_BACK = 32 * 1024

/** The few sockets that hold back what is written to them until the end of this turn of the event loop. */
const corked: Corkable[] = []

/** What is sent at the end of this turn, with all that is held back. */
const last: (() => void)[] = []
let ends = false

/** Calls a function that sends commands at the end of this turn of the event loop, so that they leave with the others. */
export function atEndOfTurn(send: () => void): void {
  last.push(send)
  expectEnd()
}

function expectEnd(): void {
  if (ends) return
  ends = true
  setImmediate(endTurn)
}

/**
 * A command that leaves together with all others of its turn of the event loop: each connection, and so each node of a
 * Cluster, gets one write a turn, which saves system calls here and at Redis.
 */
export class GatheredCommand extends Command {
  readonly #key: string

  /**
   * @param args the arguments, keys included
   * @param key one of the keys, which are all in one slot
   */
  constructor(name: string, args: readonly (string | number)[], key: string) {
    // Set below: the driver would flatten them, which takes 0.1 µs for each.
    super(name, [], { replyEncoding: 'utf8' })
    this.args = args.map((argument) => (typeof argument === 'string' ? argument : String(argument)))
    this.#key = key
  }

  // The driver computes the slot from the first key. The hash tag is enough for that, and is shorter.
  override getKeys(): string[] {
    return [hashTagOf(this.#key)]
  }

  // The driver asks for the text of a command right before it writes it to this socket.
  override toWritable(socket: Corkable): string {
    if (!corked.includes(socket)) {
      expectEnd()
      corked.push(socket)
      socket.cork()
    } else if (socket.writableLength > MAX_HELD_BACK) {
      socket.uncork()
      socket.cork()
    }
    return commandText([this.name, ...(this.args as string[])])
  }
}

/** Returns the part of a key that decides its slot, in braces; the whole key if it has no hash tag. */
function hashTagOf(key: string): string {
  const start = key.indexOf('{')
  const end = key.indexOf('}', start)
  return start >= 0 && end > start + 1 ? key.slice(start, end + 1) : key
}

function endTurn(): void {
  for (const send of last) send()
  last.length = 0
  ends = false
  for (const socket of corked) socket.uncork()
  corked.length = 0
}
