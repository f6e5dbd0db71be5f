import { instant } from '../src/core/instant.ts'

/** Formats a time of an answer, with its distance from now (milliseconds since 1970); absent: nothing. */
export function when(at: string | undefined, now: number): string {
  return at === undefined ? '' : instant(new Date(at), now)
}
