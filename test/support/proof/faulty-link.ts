// One connection through the proxy: commands in one direction, their replies in order in the other.
import type { Socket } from 'node:net'
import type { Fault } from './fault-proxy.ts'
import { readCommand, readReply } from './resp.ts'

interface Rules {
  /** The name of the connections that faults apply to. */
  main: string
  judge(words: readonly string[]): Fault | undefined
  /** Registers a function that is called when delayed messages may continue. */
  hold(go: () => void): void
}

/** A command that was sent, and its reply once it arrives. */
interface Slot {
  fault?: Fault | undefined
  reply?: Buffer
}

const READONLY = Buffer.from("-READONLY You can't write against a read only replica.\r\n")

export class FaultyLink {
  readonly #client: Socket
  readonly #redis: Socket
  readonly #rules: Rules
  #name: string | undefined
  #commands = Buffer.alloc(0)
  #replies = Buffer.alloc(0)
  #slots: Slot[] = []
  #commandsHeld = false
  #repliesHeld = false
  #deaf = false

  constructor(client: Socket, redis: Socket, rules: Rules) {
    this.#client = client
    this.#redis = redis
    this.#rules = rules
    client.on('data', (chunk) => this.#fromClient(chunk))
    redis.on('data', (chunk) => this.#fromRedis(chunk))
    // Commands that were sent before the end are executed.
    client.on('close', () => this.#endWhenDone()).on('error', () => {})
    redis.on('close', () => client.destroy()).on('error', () => {})
  }

  /** Whether faults do not apply to this connection. */
  get #isOther(): boolean {
    return this.#name !== undefined && this.#name !== this.#rules.main
  }

  #fromClient(chunk: Buffer): void {
    this.#commands = Buffer.concat([this.#commands, chunk])
    this.#passCommands()
  }

  #passCommands(): void {
    while (!this.#commandsHeld && !this.#client.destroyed) {
      if (this.#isOther) {
        this.#redis.write(this.#commands)
        this.#commands = Buffer.alloc(0)
        return
      }
      const command = readCommand(this.#commands)
      if (command === undefined) return
      const raw = this.#commands.subarray(0, command.end)
      this.#commands = this.#commands.subarray(command.end)
      this.#name ??= nameIn(command.value)
      this.#pass(raw, this.#rules.judge(command.value))
    }
  }

  #pass(raw: Buffer, fault: Fault | undefined): void {
    if (fault === 'cut before') {
      this.#client.destroy()
      return
    }
    this.#slots.push({ fault, ...(fault === 'READONLY' ? { reply: READONLY } : {}) })
    if (fault === 'READONLY') {
      this.#passReplies()
      return
    }
    if (fault !== 'command late') {
      this.#redis.write(raw)
      if (fault === 'cut after') this.#client.destroy()
      return
    }
    this.#commandsHeld = true
    this.#rules.hold(() => {
      this.#redis.write(raw)
      this.#commandsHeld = false
      this.#passCommands()
    })
  }

  #fromRedis(chunk: Buffer): void {
    this.#replies = Buffer.concat([this.#replies, chunk])
    while (!this.#isOther || this.#slots.length > 0) {
      const message = readReply(this.#replies)
      if (message === undefined) break
      const raw = this.#replies.subarray(0, message.end)
      this.#replies = this.#replies.subarray(message.end)
      const slot =
        message.value === 'reply' ? this.#slots.find(({ reply }) => reply === undefined) : undefined
      if (slot) slot.reply = raw
      else if (!this.#deaf) this.#client.write(raw)
    }
    this.#passReplies()
    if (this.#isOther && this.#slots.length === 0) {
      this.#client.write(this.#replies)
      this.#replies = Buffer.alloc(0)
    }
    this.#endWhenDone()
  }

  #passReplies(): void {
    while (!this.#repliesHeld && this.#slots[0]?.reply !== undefined) {
      const { fault, reply } = this.#slots[0]
      if (fault === 'reply late') {
        this.#slots[0] = { reply }
        this.#repliesHeld = true
        this.#rules.hold(() => {
          this.#repliesHeld = false
          this.#passReplies()
        })
        return
      }
      this.#slots.shift()
      if (fault === 'reply lost') this.#deaf = true
      if (fault === 'reply lost, connection cut') this.#client.destroy()
      if (!this.#deaf && !this.#client.destroyed) this.#client.write(reply)
    }
  }

  #endWhenDone(): void {
    const waits = this.#commandsHeld || this.#slots.some(({ reply }) => reply === undefined)
    if (this.#client.destroyed && !waits) this.#redis.destroy()
  }
}

/** The name that a command sets for its connection. */
function nameIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word.toLowerCase() === 'setname')
  return at === -1 ? undefined : words[at + 1]
}
