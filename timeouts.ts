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

/** Milliseconds after the signal in which the requests that arrived before it are read, without a SHUTDOWN_DELAY too. */
export const LATE_REQUESTS_MS = 100

/** How often a server that npm has started looks whether the shell of npm is still there, in milliseconds. */
export const PARENT_CHECK_MS = 200
