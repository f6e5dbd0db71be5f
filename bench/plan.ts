// How long a run takes for each of its parts: enough rounds that the noise beside a figure is small, and no more.

/** Rounds that count, the seconds of each, and those of the first one, which warms up: two rounds by default. */
export interface Course {
  rounds: number
  seconds: number
  warm?: number
}

/** Rounds, their seconds, and sizes. */
export interface Plan {
  /** Of each row. */
  rows: Course
  /** Of each row on several versions of Node. */
  nodes: Course
  /** Rounds after idle times, and one that is cut into slices. */
  shapes: { short: Course; long: { slices: number; seconds: number } }
  starts: number
  workers: Course
  storm: Course
  /** Of what runs in processes of its own: variables of their environment, and about how many seconds it takes. */
  growth: Apart
  console: Apart
  strangers: Apart
}

/** A measurement in a process of its own. */
export interface Apart {
  seconds: number
  env: Readonly<Record<string, string>>
}

/** A whole run: at most 30 minutes on two CPUs. A warm-up of seconds is what Node needs to compile a code flow. */
export const WHOLE: Plan = {
  rows: { rounds: 5, seconds: 0.4, warm: 3 },
  nodes: { rounds: 4, seconds: 0.3, warm: 2 },
  shapes: { short: { rounds: 3, seconds: 1.5 }, long: { slices: 5, seconds: 5 } },
  starts: 5,
  workers: { rounds: 3, seconds: 1 },
  storm: { rounds: 4, seconds: 2.5 },
  growth: {
    seconds: 60,
    env: {
      GROWTH_ROTATIONS: '10000',
      GROWTH_TOKENS: '1000000',
      GROWTH_CLIENTS: '10000',
      GROWTH_REQUESTS: '3000',
    },
  },
  console: { seconds: 60, env: { CONSOLE_PEOPLE: '100000', CONSOLE_TURN: '500' } },
  strangers: { seconds: 20, env: { STRANGERS_RUNS: '4' } },
}

/** A part by itself, for a developer who waits for it. */
export const PARTIAL: Plan = {
  ...WHOLE,
  starts: 9,
  workers: { rounds: 6, seconds: 2 },
  storm: { rounds: 8, seconds: 4 },
}

/** Shows that all parts work. Its figures are worth nothing. */
export const TRIAL: Plan = {
  rows: { rounds: 1, seconds: 0.1 },
  nodes: { rounds: 1, seconds: 0.1 },
  shapes: { short: { rounds: 1, seconds: 0.1 }, long: { slices: 2, seconds: 0.2 } },
  starts: 1,
  workers: { rounds: 1, seconds: 0.1 },
  storm: { rounds: 1, seconds: 0.3 },
  growth: {
    seconds: 10,
    env: { GROWTH_ROTATIONS: '10', GROWTH_TOKENS: '10000', GROWTH_CLIENTS: '10', GROWTH_REQUESTS: '32' },
  },
  console: { seconds: 30, env: { CONSOLE_PEOPLE: '20000', CONSOLE_TURN: '50' } },
  strangers: { seconds: 5, env: { STRANGERS_RUNS: '1' } },
}

/** About what a second of a round takes in all: the servers get busy before it, and their users sign in. */
const BESIDE_A_ROUND = 0.2
/** About what the servers of a row take to start. */
const START = 2.5

/** The seconds of the round that warms up. */
export const warmOf = ({ seconds, warm = 2 * seconds }: Course) => warm

/** About how many seconds a row takes. @param longer so many times as long are its rounds */
export function secondsOf(course: Course, candidates: number, longer = 1): number {
  const rounds = course.rounds * (course.seconds * longer + BESIDE_A_ROUND)
  return START + candidates * (rounds + warmOf(course) * longer + BESIDE_A_ROUND)
}
