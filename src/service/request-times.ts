/**
 * The upper ends of the buckets into which requests are counted by their time, in seconds; what took longer is in one
 * more.
 */
export const TIME_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1] as const

/** How many requests took how long, by bucket. */
export type TimeCounts = number[]

/** Counts requests by their time. */
export class RequestTimes {
  readonly counts: TimeCounts = TIME_BUCKETS.map(() => 0).concat(0)
  /** Seconds of all requests. */
  sum = 0

  note(seconds: number): void {
    let bucket = 0
    while (seconds > (TIME_BUCKETS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1
    this.sum += seconds
  }
}
