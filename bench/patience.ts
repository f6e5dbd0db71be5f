// Rounds that are repeated because the machine starved the server.
import { WrongAnswer } from './answers.ts'

/** A round without an operation: the server stood still. */
export class NothingDone extends Error {}

/** How often a round is tried while the machine starves the server. */
const ATTEMPTS = 10

/**
 * Repeats a round in which the server answered 503 or nothing, as on a machine that other work stops for a while.
 * @throws what was wrong, at once for any other answer
 */
export async function patiently<T>(what: string, round: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await round()
    } catch (error) {
      const message = `${what}: ${(error as Error).message}`
      const starved = error instanceof NothingDone || (error instanceof WrongAnswer && error.status === 503)
      if (!starved || attempt === ATTEMPTS) {
        throw new Error(message, { cause: error })
      }
      console.error(`Repeats a round of ${message}`)
    }
  }
}
