// The part of docs/capacity.md that a run writes.
import { existsSync, readFileSync } from 'node:fs'
import type { ScaleResults } from './measure.ts'
import { scaleText } from './text.ts'

/** The results of the run that docs/capacity.md has. */
const SCALE = new URL('../results/scale.json', import.meta.url)

/** Reads the results of that run; undefined: there was none. */
export const readScale = (): ScaleResults | undefined =>
  existsSync(SCALE) ? JSON.parse(readFileSync(SCALE, 'utf8')) : undefined

const NOT_YET = 'Not measured yet: `npm --prefix bench run scale -- --page` writes this part.'

/** The text of every marked part of docs/capacity.md that a run of this script writes. */
export const scaleParts = (results: ScaleResults | undefined): Record<string, string> => ({
  scale: results ? scaleText(results) : NOT_YET,
})
