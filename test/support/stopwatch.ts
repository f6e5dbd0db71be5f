const TICK_MS = 10

/**
 * Starts to measure how long something takes, by the ticks of a timer. A tick that comes late because the machine is
 * busy counts no more than one in time: the result is close to what an idle machine would measure.
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
