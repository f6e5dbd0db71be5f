import type { Finding } from '../../src/service/finding.ts'
import { reportFindings } from '../doctor/report.ts'
import type { Report } from '../output.ts'
import { authorizationServerFindings } from './authorization-server.ts'
import { madeUpTokenFindings } from './made-up-token.ts'
import { askWithoutToken, findMetadata } from './protected-resource.ts'

/** The command `mcp doctor`: goes the way of an MCP client up to the page where its user signs in. */
export async function examineMcpServer(server: string): Promise<Report> {
  return reportFindings(await walk(server))
}

async function walk(server: string): Promise<Finding[]> {
  const { findings: first, attributes } = await askWithoutToken(server)
  if (attributes === undefined) return [...first]
  const { findings: second, issuer } = await findMetadata(server, attributes)
  if (issuer === undefined) return [...first, ...second]
  const made_up = await madeUpTokenFindings(server, issuer)
  return [...first, ...second, ...made_up, ...(await authorizationServerFindings(issuer))]
}
