/**
 * Runs that once failed; they are replayed before all others. To add one, take `seed` and the first number of
 * `path` from fast-check's report (the other numbers only describe how the run was shortened). A seed produces
 * another run after a change of commands.ts or the attempts, so every finding also gets a test of its own.
 */
export const SEEDS: readonly { seed: number; path: string; found: string }[] = [
  {
    seed: 1134887255,
    path: '17',
    found: 'in memory a refresh was told of what a later one at the same moment did',
  },
]
