// The servers of a row.
import { basename, dirname } from 'node:path'
import { DIST } from './contest.ts'
import type { Node } from './machine.ts'
import type { Row } from './row.ts'
import type { Candidate } from './servers.ts'

/** Another build of redmint. */
export interface Build {
  label: string
  /** The folder that `npm run build` wrote. */
  dist: string
}

/** A build that is named by the folder that it is in. */
export const buildIn = (dist: string): Build => ({ label: `redmint, ${basename(dirname(dist))}`, dist })

/**
 * The servers of a row: its candidates, redmint a second time as the control, and other builds; of several versions of
 * Node, redmint on each of them.
 */
export function candidatesOf(row: Row, nodes: readonly Node[], builds: readonly Build[]): Candidate[] {
  const [node, ...others] = nodes
  if (!node) throw new Error('--node names no Node')
  const all = row.candidates.map((server): Candidate => ({ label: server, server, node, dist: DIST }))
  const own = all.find(({ server }) => server === 'redmint')
  if (!own) return all
  const again = { ...own, label: 'redmint again' }
  if (others.length > 0) {
    return [own, again, ...others.map((node) => ({ ...own, label: `redmint, Node ${node.version}`, node }))]
  }
  return [...all, again, ...builds.map((build) => ({ ...own, ...build }))]
}
