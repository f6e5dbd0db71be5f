import type { CheckTexts } from './report.ts'

/** Which checks run. */
export interface Choice {
  /** The ids of checks that are left out. */
  readonly skip?: readonly string[]
  /** The ids of the checks that run. Default: all. */
  readonly only?: readonly string[]
}

/** Returns the checks that run. */
export const chosen = <Check extends CheckTexts>(
  checks: readonly Check[],
  { only, skip = [] }: Choice,
): readonly Check[] => checks.filter(({ id }) => (only?.includes(id) ?? true) && !skip.includes(id))
