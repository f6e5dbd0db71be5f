import { count } from '../../core/count.ts'
import { nodeProblem } from '../../core/node-floor.ts'
import { type Finding, findingsOf } from '../../service/finding.ts'
import { readServers } from '../../service/running-server.ts'
import { type Disagreement, findDisagreements, groupServers } from '../../service/running-servers.ts'
import type { Storage } from '../../storage/storage.ts'

/** Returns the findings about the servers that run: whether they agree. */
export async function serverFindings(storage: Pick<Storage, 'records' | 'bounded'>): Promise<Finding[]> {
  const { ok, warning } = findingsOf('servers')
  const processes = await readServers(storage)
  if (processes.length === 0) return [ok('none runs now')]
  const servers = groupServers(processes)
  const versions = [...new Set(servers.map(({ version }) => version))].sort()
  const disagreements = findDisagreements(processes).map((one) =>
    warning(`they disagree about ${disagreementText(one)}`, 'Set the same in all servers.'),
  )
  const mixed =
    versions.length < 2
      ? []
      : [warning(`they are of the versions ${versions.join(', ')}`, 'Finish the upgrade.')]
  const found = [...mixed, ...disagreements]
  if (found.length > 0) return found
  if (servers.length === 1)
    return [ok(`1 server of version ${versions.join()}: while it is down, redmint is down, too`)]
  return [ok(`${count(servers.length, 'server')} of version ${versions.join()}, with the same settings`)]
}

/** Returns the finding about the Node that runs this check: that of the command, or of the server that is asked. */
export function nodeFinding(version = process.versions.node): Finding {
  const { ok, warning } = findingsOf('Node')
  const problem = nodeProblem(version)
  return problem === undefined ? ok(`version ${version}`) : warning(problem.finding, problem.advice)
}

/** Describes a setting in which servers disagree: `ACCESS_TOKEN_TTL: 900 (web-1), 600 (web-2)`. */
export function disagreementText({ setting, values }: Disagreement): string {
  const parts = values.map(({ value, hosts }) => `${value || 'none'} (${hosts.join(', ')})`)
  return `${setting.toUpperCase()}: ${parts.join(', ')}`
}
