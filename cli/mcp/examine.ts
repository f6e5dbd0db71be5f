import type { ConnectionTrailBody } from '../../src/admin/explanations.ts'
import { resourceKey } from '../../src/core/resource-uri.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import type { Calls } from '../calls.ts'
import { reportFindings } from '../doctor/report.ts'
import { readTrail, trailText, type WantedSteps } from '../explain/trail.ts'
import type { Report } from '../output.ts'
import { assertionFindings } from './assertions.ts'
import { authorizationServerFindings } from './authorization-server.ts'
import { madeUpTokenFindings } from './made-up-token.ts'
import type { AskedAssertions } from './parties.ts'
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

/**
 * The command `mcp doctor --assertions-from`: besides, both servers of an identity assertion.
 * @param calls operations at one of them; absent: their records are not read
 */
export async function examineAssertions(
  server: string,
  asked: AskedAssertions,
  calls?: Calls,
): Promise<Report> {
  return reportFindings(await walk(server, (found) => findingsFor(found, asked, calls)))
}

function findingsFor(
  found: WalkEnd | undefined,
  asked: AskedAssertions,
  calls: Calls | undefined,
): Promise<Finding[]> | Finding[] {
  if (found !== undefined) return assertionFindings({ ...asked, ...found }, calls)
  return [
    findingsOf('sides').warning(
      'identity assertions were not looked at: the MCP server does not say which server they are for',
      'Mend what is wrong with it first.',
    ),
  ]
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

/** Where the way of a client leads. */
interface WalkEnd {
  readonly issuer: string
  /** What the MCP server is called, and the scopes that it asks for. */
  readonly resource: string
  readonly scopes: readonly string[]
}

/** @param besides what else is looked at; undefined: the MCP server leads nowhere */
async function walk(
  server: string,
  besides: (found: WalkEnd | undefined) => Promise<Finding[]> | Finding[] = () => [],
): Promise<Finding[]> {
  const { findings: first, attributes } = await askWithoutToken(server)
  if (attributes === undefined) return [...first, ...(await besides(undefined))]
  const { findings: second, issuer, resource = server, scopes = [] } = await findMetadata(server, attributes)
  if (issuer === undefined) return [...first, ...second, ...(await besides(undefined))]
  const made_up = await madeUpTokenFindings(server, issuer)
  const walked = [...first, ...second, ...made_up, ...(await authorizationServerFindings(issuer))]
  return [...walked, ...(await besides({ issuer, resource, scopes }))]
}
