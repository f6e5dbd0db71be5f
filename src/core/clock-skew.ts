/** By how much the clocks of two replicas may differ, in seconds. */
export const CLOCK_SKEW = 60
