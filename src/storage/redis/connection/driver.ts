// All that redmint overrides of ioredis, which does not promise to keep it: so its version is pinned.
// As a global it is looked up by a getter, at each use.
import { Buffer } from 'node:buffer'
import { type Cluster, Command, type Redis } from 'ioredis'
import { COMMAND_TIMEOUT } from './options.ts'
import { ReplyDeadlines, type Waiting } from './reply-deadlines.ts'

/** A socket of the driver. */
interface CommandSocket {
  /** The bytes that it holds back. */
  readonly writableLength: number
  readonly bytesRead: number
  cork(): void
  uncork(): void
  destroy(error: Error): void
}

// A burst of commands is not held back as a whole: the first ones would wait for the last, and might time out.
const MAX_HELD_BACK = 32 * 1024

/** The few sockets that hold back what is written to them until the end of this turn of the event loop. */
const corked: CommandSocket[] = []

/** What is sent at the end of this turn, with all that is held back. */
const last: (() => void)[] = []
let ends = false

const READS_TEXT = { replyEncoding: 'utf8' } as const

let deadlines = new ReplyDeadlines(COMMAND_TIMEOUT)

/** Lets the commands of this process wait so many milliseconds for their replies: no request waits for them. */
export function waitForReplies(timeout: number): void {
  deadlines = new ReplyDeadlines(timeout)
}

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
 * Cluster, gets one write a turn, which saves system calls here and at Redis. It expires if no reply comes in time.
 */
export class GatheredCommand extends Command implements Waiting {
  deadline?: number
  next?: Waiting | undefined
  /** The socket that it was written to. */
  protected socket: CommandSocket | undefined
  /** How many bytes this socket had read before that. */
  #read = 0

  /** @param args which the command keeps */
  constructor(name: string, args: string[]) {
    // Set below: the driver would flatten them, which takes 6 % of the CPU of a token request.
    super(name, [], READS_TEXT)
    this.args = args
  }

  // The driver asks each command that it sends for a timer.
  override setTimeout(): void {
    deadlines.add(this)
  }

  /** No reply came in time. The driver rejects the commands of a destroyed socket, when it is about to open another one. */
  expire(): void {
    const { socket } = this
    if (socket !== undefined && socket.bytesRead === this.#read) socket.destroy(new Error('Socket timed out'))
    else this.reject(new Error('Command timed out'))
  }

  // The driver asks for the text of a command right before it writes it to this socket.
  override toWritable(socket: CommandSocket): string {
    this.socket = socket
    this.#read = socket.bytesRead
    if (!corked.includes(socket)) {
      expectEnd()
      corked.push(socket)
      socket.cork()
    } else if (socket.writableLength > MAX_HELD_BACK) {
      socket.uncork()
      socket.cork()
    }
    return textOf(this.name, this.args as readonly string[])
  }
}

/** The length of an argument, between the one before it and itself. */
const LENGTHS = Array.from({ length: 256 }, (_, bytes) => `\r\n$${bytes}\r\n`)

/** A command as the driver writes it, from half as many pieces, which takes half of the time. */
function textOf(name: string, args: readonly string[]): string {
  let text = `*${args.length + 1}${lengthOf(name)}${name}`
  for (const arg of args) text = text + lengthOf(arg) + arg
  return `${text}\r\n`
}

function lengthOf(arg: string): string {
  const bytes = Buffer.byteLength(arg)
  return LENGTHS[bytes] ?? `\r\n$${bytes}\r\n`
}

/** A script as it is sent: its text, its SHA-1, and the sockets whose servers have it. */
export interface SentScript {
  readonly lua: string
  readonly sha: string
  readonly known: WeakSet<object>
}

/** Sends the digest of a script; its text by the first command on a connection. */
export class ScriptCommand extends GatheredCommand {
  readonly #script: SentScript

  /** @param args the digest of the script, the number of its keys, the keys, and its arguments; the command keeps them */
  constructor(script: SentScript, args: string[]) {
    super('evalsha', args)
    this.#script = script
  }

  // Called again with another socket if a node of a Cluster redirects the command.
  override toWritable(socket: CommandSocket): string {
    const { lua, sha, known } = this.#script
    const is_known = known.has(socket)
    if (!is_known) known.add(socket)
    this.name = is_known ? 'evalsha' : 'eval'
    this.args[0] = is_known ? sha : lua
    return super.toWritable(socket)
  }

  /** The server does not have the script any more: the next command on this connection sends its text. */
  forget(): void {
    if (this.socket !== undefined) this.#script.known.delete(this.socket)
  }
}

/** Sends a command, and returns its reply. @throws errors of the driver */
export function sendTo<Reply>(
  client: Redis | Cluster,
  name: string,
  args: readonly (string | number)[],
): Promise<Reply> {
  return client.sendCommand(new GatheredCommand(name, args.map(String))) as Promise<Reply>
}

function endTurn(): void {
  for (const send of last) send()
  last.length = 0
  ends = false
  for (const socket of corked) socket.uncork()
  corked.length = 0
}

type Callback = (error: Error | null | undefined, text?: string) => void

/**
 * Keeps a client of the driver from printing, and returns it. Before a connection is ready, the driver reads INFO, to see
 * whether Redis is loading its data, and prints a line if the user of Redis has no right to it.
 */
export function quiet(client: Redis): Redis {
  const info = client.info.bind(client) as (...args: readonly unknown[]) => Promise<string>
  client.info = (async (...args: readonly unknown[]) => {
    const [callback] = args
    if (!isCallback(callback)) return info(...args)
    // An answer without lines: Redis is not loading.
    return info((error: Error | null | undefined, text?: string) =>
      error?.message.startsWith('NOPERM') ? callback(null, '') : callback(error, text),
    )
  }) as Redis['info']
  return client
}

/** Whether it is the driver that asks: redmint waits for promises. */
function isCallback(argument: unknown): argument is Callback {
  return typeof argument === 'function'
}
