/**
 * The first patch of each line of Node that has the fixes of October 2026: a body in Brotli could write beside its memory.
 * Lines below the first have none, and get none.
 */
export const NODE_FLOORS: Readonly<Record<number, readonly [minor: number, patch: number]>> = {
  22: [23, 4],
  24: [22, 1],
  26: [12, 1],
}

const NEWEST = 26

/** What is wrong with a version of Node, and what to do. */
export interface NodeProblem {
  readonly finding: string
  readonly advice: string
}

/**
 * Returns what is wrong with a version of Node; undefined if nothing is.
 * @param version as `process.versions.node`
 */
export function nodeProblem(version: string): NodeProblem | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const floor = NODE_FLOORS[major]
  if (floor === undefined && major > NEWEST) return undefined
  if (floor !== undefined && (minor > floor[0] || (minor === floor[0] && patch >= floor[1]))) return undefined
  const what = floor === undefined ? 'gets no fixes any more' : 'lacks fixes'
  return { finding: `Node ${version} ${what}`, advice: ADVICE }
}

/** Returns the same as one line; undefined if nothing is wrong. */
export function nodeNotice(version: string): string | undefined {
  const problem = nodeProblem(version)
  return problem && `${problem.finding}. ${problem.advice}`
}

const ADVICE = `Run ${Object.entries(NODE_FLOORS)
  .map(([major, [minor, patch]]) => `${major}.${minor}.${patch}`)
  .join(', ')} or later.`
