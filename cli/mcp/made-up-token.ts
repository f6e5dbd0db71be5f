import { randomBytes } from 'node:crypto'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import { askAs } from './protected-resource.ts'

/** Seconds. */
const LIFETIME = 300

/**
 * Shows the MCP server tokens that nobody issued: one that is right but for its signature, and one for another resource.
 * Servers that only decode a token take the first one, and those that let audiences be take both.
 */
export async function madeUpTokenFindings(server: string, issuer: string): Promise<Finding[]> {
  const { ok, problem } = findingsOf('made-up token')
  const tokens = {
    'a token with a made-up signature': madeUp(issuer, server),
    'a token for another resource': madeUp(issuer, 'https://another.example/mcp'),
  }
  const findings: Finding[] = []
  for (const [what, token] of Object.entries(tokens)) {
    const status = await askAs(server, token).catch(() => undefined)
    if (status === undefined || status >= 300) continue
    const advice = 'Let it check signature, issuer and audience, for example by redmint/resource-server.'
    findings.push(problem(`${server} answers ${status} to ${what}: anybody can make one`, advice))
  }
  return findings.length > 0 ? findings : [ok(`${server} takes no token that nobody issued`)]
}

function madeUp(iss: string, aud: string): string {
  const iat = Math.floor(Date.now() / 1000)
  const header = { alg: 'ES256', typ: 'at+jwt', kid: randomBytes(12).toString('base64url') }
  const who = {
    sub: 'redmint-mcp-doctor',
    client_id: 'redmint-mcp-doctor',
    jti: randomBytes(16).toString('hex'),
  }
  const parts = [header, { iss, aud, iat, exp: iat + LIFETIME, ...who }]
  const texts = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return [...texts, randomBytes(64).toString('base64url')].join('.')
}
