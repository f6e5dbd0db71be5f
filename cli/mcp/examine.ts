import type { ConnectionTrailBody } from '../../src/admin/explanations.ts'
import { resourceKey } from '../../src/core/resource-uri.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import type { Calls } from '../calls.ts'
import { reportFindings } from '../doctor/report.ts'
import { readTrail, trailText, type WantedSteps } from '../explain/trail.ts'
import type { Report } from '../output.ts'
import { authorizationServerFindings } from './authorization-server.ts'
import { madeUpTokenFindings } from './made-up-token.ts'
import { askWithoutToken, findMetadata } from './protected-resource.ts'

/** The command `mcp doctor`: goes the way of an MCP client up to the page where its user signs in. */
export async function examineMcpServer(server: string): Promise<Report> {
  return reportFindings(await walk(server))
}

/** The command `mcp doctor --client`: besides, how far this client came. */
export async function examineConnection(calls: Calls, server: string, wanted: WantedSteps): Promise<Report> {
  const [findings, trail] = await Promise.all([walk(server), readTrail(calls, wanted)])
  const { text, json, ...report } = reportFindings([...findings, ...tokenFindings(server, trail)])
  const steps = trailText(trail, calls.now, wanted.language)
  return { ...report, text: `${text}\n\n${steps}`, json: { ...json, trail } }
}

/** Whether the last token that the client took is for the MCP server, which refuses any other one. */
function tokenFindings(server: string, { client_id, steps }: ConnectionTrailBody): Finding[] {
  const { ok, warning } = findingsOf('last token')
  const last = steps.findLast(({ step }) => step === 'token')
  if (last === undefined) return []
  const { resource } = last
  const asked = resourceKey(server) ?? server
  const named = resource?.split(' ').map((one) => resourceKey(one) ?? one)
  if (named?.includes(asked)) return [ok(`the last token of ${client_id} is for ${server}`)]
  return [
    warning(
      `the last token of ${client_id} is for ${resource ?? 'no API'}, and not for ${server}`,
      'Let the client send resource with this address (RFC 8707), and register it as a resource.',
    ),
  ]
}

async function walk(server: string): Promise<Finding[]> {
  const { findings: first, attributes } = await askWithoutToken(server)
  if (attributes === undefined) return [...first]
  const { findings: second, issuer } = await findMetadata(server, attributes)
  if (issuer === undefined) return [...first, ...second]
  const made_up = await madeUpTokenFindings(server, issuer)
  return [...first, ...second, ...made_up, ...(await authorizationServerFindings(issuer))]
}
