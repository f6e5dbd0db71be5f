/** Timeouts in milliseconds, after which the connection is closed. */
export const TIMEOUTS = {
  /** For the headers of a request, or for the first byte of a new connection. */
  headers: 5_000,
  /** For a whole request. */
  request: 8_000,
  /** Without any progress, such as reading the answer. */
  stalled: 30_000,
  /** How often the first two are checked. */
  check: 1_000,
}

/** The maximum duration of closing in milliseconds: a request, and two seconds for storage. */
export const CLOSE_WITHIN_MS = TIMEOUTS.request + 2_000

// In which requests that were on their way at the signal arrive, without a SHUTDOWN_DELAY too.
const LATE_REQUESTS_MS = 100

/**
 * Milliseconds between the signal and the end of the listener. Whoever presses Ctrl-C in a terminal (SIGINT) does not wait
 * for a balancer.
 * @param shutdown_delay seconds
 */
export function drainMs(shutdown_delay: number, signal?: string): number {
  return Math.max(signal === 'SIGINT' ? 0 : shutdown_delay * 1000, LATE_REQUESTS_MS)
}
