/** A command without a reply. */
export interface Waiting {
  /** Whether it has a reply, or an error. */
  readonly isSettled: boolean
  /** The tick at which it expires; undefined before it was sent. */
  deadline?: number
  /** The command that was sent after it. */
  next?: Waiting | undefined
  /** Is called when no reply came in time. */
  expire(): void
}

/** Milliseconds. */
const TICK = 50

/** Calls `tick` again and again; returns how to stop that. */
type Ticking = (tick: () => void) => () => void

const eachTick: Ticking = (tick) => {
  // Immediates run after the events of sockets, timers before them.
  const timer = setInterval(() => setImmediate(tick), TICK).unref()
  return () => clearInterval(timer)
}

/**
 * The deadlines of commands, with one timer for all of them. Time is counted in ticks, and replies are read before a tick
 * counts: a process that was stopped for a while, by its machine or by the garbage collector, gets the replies that came
 * meanwhile (docs/decisions/0071-time-of-a-reply.md).
 */
export class ReplyDeadlines {
  readonly #ticks: number
  readonly #ticking: Ticking
  #now = 0
  /** The commands, oldest first; some of them may be settled. */
  #oldest: Waiting | undefined
  #newest: Waiting | undefined
  #stop: (() => void) | undefined

  /**
   * @param timeout how long a command waits at most, in milliseconds
   * @param ticking another clock, for tests
   */
  constructor(timeout: number, ticking = eachTick) {
    this.#ticks = Math.floor(timeout / TICK)
    this.#ticking = ticking
  }

  /** Expects the reply to a command. Does nothing if it is expected already: a command may be sent again. */
  add(command: Waiting): void {
    if (command.deadline !== undefined) return
    this.#forgetSettled()
    command.deadline = this.#now + this.#ticks
    if (this.#newest === undefined) this.#oldest = command
    else this.#newest.next = command
    this.#newest = command
    this.#stop ??= this.#ticking(() => this.#tick())
  }

  #tick(): void {
    this.#now += 1
    this.#forgetSettled()
    while (this.#oldest?.deadline !== undefined && this.#oldest.deadline <= this.#now) {
      const command = this.#oldest
      this.#forgetOldest()
      command.expire()
      this.#forgetSettled()
    }
    if (this.#oldest !== undefined) return
    this.#stop?.()
    this.#stop = undefined
  }

  // Replies come in the order of the commands, so few settled ones are behind one that waits.
  #forgetSettled(): void {
    while (this.#oldest?.isSettled) this.#forgetOldest()
  }

  // Without its link to the next one, for the garbage collector: a dead command that is old would keep the young ones.
  #forgetOldest(): void {
    const command = this.#oldest
    this.#oldest = command?.next
    if (command !== undefined) command.next = undefined
    if (this.#oldest === undefined) this.#newest = undefined
  }
}
