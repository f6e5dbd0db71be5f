import { LRUCache } from 'lru-cache'
import { atMost } from '../core/at-most.ts'
import type { ClientId } from '../core/ids.ts'

/** How much of the deliveries one client gets; times in seconds. */
export interface ShareTiming {
  /** How many notices are sent to one client at the same time. */
  readonly per_client: number
  /** The time between two notices that wait for the same client. */
  readonly spacing: number
  /** The back-off of a client after its first failure. Each further one waits twice as long, up to `longest_delay`. */
  readonly first_delay: number
  readonly longest_delay: number
}

/**
 * What to do with a notice that is due. `wait`: its client has its full share, so the notice is due again in `delay`
 * seconds. `fail`: its client failed a moment ago, with `status`, and is not asked again yet.
 */
export type Turn =
  | { readonly act: 'send' }
  | { readonly act: 'wait'; readonly delay: number }
  | { readonly act: 'fail'; readonly status: number | string }

/**
 * Ends a delivery: with `true` if nothing is left to send, with the status if the client failed, with nothing if that is
 * unknown. Only the first call counts.
 */
export type EndDelivery = (result?: number | string | true) => void

// Many more clients than get notices at the same time. One that is dropped counts as one that did not fail.
const MAX_CLIENTS = 10_000

interface ClientState {
  sending: number
  /** Failures in a row. */
  failures: number
  status: number | string
  /** The end of the back-off, and when the last of the notices that wait is due; in milliseconds since 1970. */
  resumes: number
  last_due: number
}

/**
 * The shares of clients in the deliveries of this process. A client that fails gets one notice at a time, after a
 * back-off. Other replicas find out by themselves.
 */
export class DeliveryShares {
  readonly #timing: ShareTiming
  readonly #now: () => number
  /** Clients that get notices now, or failed the last time. */
  readonly #clients = new LRUCache<ClientId, ClientState>(atMost(MAX_CLIENTS))

  /** @param now milliseconds since 1970 */
  constructor(timing: ShareTiming, now: () => number) {
    this.#timing = timing
    this.#now = now
  }

  /** What to do with a notice for this client now. */
  turnOf(client_id: ClientId): Turn {
    const { per_client, spacing, longest_delay } = this.#timing
    const state = this.#clients.get(client_id)
    const now = this.#now()
    if (state === undefined) return { act: 'send' }
    // If the rest of the back-off is longer than any back-off, the clock was set back since.
    const rests = now < state.resumes && state.resumes - now <= longest_delay * 1000
    if (rests) return { act: 'fail', status: state.status }
    if (state.sending < (state.failures > 0 ? 1 : per_client)) return { act: 'send' }
    state.last_due = Math.max(now, state.last_due) + spacing * 1000
    return { act: 'wait', delay: (state.last_due - now) / 1000 }
  }

  /** Whether the last delivery to this client failed: the next one may take long. */
  hasFailed(client_id: ClientId): boolean {
    return (this.#clients.get(client_id)?.failures ?? 0) > 0
  }

  /** Counts a delivery that begins. Returns the function that ends it. */
  begin(client_id: ClientId): EndDelivery {
    const state = this.#clients.get(client_id) ?? {
      sending: 0,
      failures: 0,
      status: '',
      resumes: 0,
      last_due: 0,
    }
    this.#clients.set(client_id, state)
    state.sending += 1
    const { failures } = state
    let ended = false
    return (result) => {
      if (ended) return
      ended = true
      state.sending -= 1
      if (result === true) state.failures = 0
      // Deliveries that began together count as one failure.
      else if (result !== undefined) this.#fail(state, failures + 1, result)
      if (state.sending === 0 && state.failures === 0) this.#clients.delete(client_id)
    }
  }

  #fail(state: ClientState, failures: number, status: number | string): void {
    if (failures <= state.failures) return
    const { first_delay, longest_delay } = this.#timing
    const delay = Math.min(longest_delay, first_delay * 2 ** (failures - 1))
    Object.assign(state, { failures, status, resumes: this.#now() + delay * 1000 })
  }
}
