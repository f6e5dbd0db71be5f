import { once } from 'node:events'
import { connect } from 'node:tls'
import type { Settings } from '../../src/config/settings.ts'
import { parseObject } from '../../src/core/json.ts'
import { PATHS } from '../../src/core/paths.ts'
import { isLoopbackHost } from '../../src/core/uri.ts'
import { certificateFinding, type Finding, findingsOf } from './finding.ts'

const WITHIN_MS = 3000
const GUESSED = 'Set ISSUER as the servers have it, or start a server.'

/** Returns the findings about ISSUER as clients see it. @param now milliseconds since 1970 */
export async function issuerFindings(
  { issuer }: Pick<Settings, 'issuer'>,
  guesses_issuer: boolean,
  now: number,
): Promise<Finding[]> {
  const { ok, warning, problem } = findingsOf('issuer')
  if (guesses_issuer) return [warning('not known: no server recorded it in the last 7 days', GUESSED)]
  const url = new URL(issuer)
  if (isLoopbackHost(url.hostname)) return [ok(`skipped: ${issuer} is on this machine`)]
  const findings: Finding[] = []
  if (url.protocol === 'https:') {
    const until = await certificateEnd(url).catch(() => undefined)
    if (until !== undefined) findings.push(certificateFinding('issuer TLS', until, now))
  }
  try {
    const response = await fetch(issuer + PATHS.openid_configuration, {
      redirect: 'manual',
      signal: AbortSignal.timeout(WITHIN_MS),
    })
    const metadata = response.ok ? parseObject(await response.text()) : undefined
    if (metadata === undefined) {
      const answered = response.ok
        ? 'answers with something that is not a JSON object'
        : `answers ${response.status}`
      const advice = 'Let the balancer pass this path on to redmint.'
      return [...findings, problem(`${issuer}${PATHS.openid_configuration} ${answered}`, advice)]
    }
    if (metadata.issuer !== issuer) {
      const found = `discovery names the issuer ${JSON.stringify(metadata.issuer)}, and ISSUER is ${issuer} here`
      return [...findings, problem(found, 'Set the same ISSUER here and in all servers.')]
    }
    return [...findings, ok(`${issuer} answers, and discovery names it`)]
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    const found = `${issuer} does not answer from here (${cause?.code ?? message})`
    return [...findings, warning(found, 'Check whether clients can reach it; this machine need not.')]
  }
}

async function certificateEnd({ hostname, port }: URL): Promise<Date> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // Its dates are wanted also if it is not trusted, which the request finds out.
  const socket = connect({
    host,
    port: Number(port || 443),
    rejectUnauthorized: false,
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
  })
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(WITHIN_MS) })
    return new Date(socket.getPeerCertificate().valid_to)
  } finally {
    socket.destroy()
  }
}
