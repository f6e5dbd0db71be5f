import type { ShownDetails } from './details.ts'

/** Details in one line each, for lists: the type, and the other members as JSON. */
export const detailLines = (details: ShownDetails = []): string[] =>
  details.map(({ type, ...members }) => `${type} ${JSON.stringify(members)}`)
