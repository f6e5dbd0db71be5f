const TICK_MS = 10

/**
 * Starts to measure how long something takes, by the ticks of a timer. A tick that is late because the machine is busy
 * counts as one tick, so the result is close to the duration on an idle machine.
 * @returns a function that stops the measurement and returns milliseconds
 */
export function stopwatch(): () => number {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
  }, TICK_MS)
  return () => {
    clearInterval(timer)
    return ticks * TICK_MS
  }
}
