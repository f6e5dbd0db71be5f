import { once } from 'node:events'
import { connect } from 'node:tls'
import { issuerPath, PATHS, ROOT_PATHS } from '../../core/paths.ts'
import { isLoopbackHost } from '../../core/uri.ts'
import { readObject, send } from '../../outbound/operator-fetch.ts'
import type { ExaminedInstallation } from '../../service/check.ts'
import { certificateFinding, type Finding, findingsOf } from '../../service/finding.ts'
import { StorageUnavailable } from '../../storage/errors.ts'
import { arrivalFinding } from './arrival.ts'

const WITHIN_MS = 3000
const GUESSED = 'Set ISSUER as the servers have it, or start a server.'

/** Returns the findings about ISSUER as clients see it. @throws StorageUnavailable */
export async function issuerFindings({
  storage,
  settings,
  guesses_issuer,
  now,
}: ExaminedInstallation): Promise<Finding[]> {
  const { issuer } = settings
  const { ok, warning, problem } = findingsOf('issuer')
  if (guesses_issuer)
    return [warning('not known: no server ran in the last 7 days, or they disagree', GUESSED)]
  const url = new URL(issuer)
  const path = issuerPath(issuer)
  if (isLoopbackHost(url.hostname)) return [ok(`skipped: ${issuer} is on this machine`)]
  const findings: Finding[] = []
  if (url.protocol === 'https:') {
    const until = await certificateEnd(url).catch(() => undefined)
    if (until !== undefined) findings.push(certificateFinding('issuer TLS', until, now()))
  }
  try {
    const response = await ask(issuer + PATHS.openid_configuration)
    const metadata = response.ok ? await readObject(response, issuer).catch(() => undefined) : undefined
    if (metadata === undefined) {
      const answered = response.ok
        ? 'answers with something that is not a JSON object'
        : `answers ${response.status}`
      const advice =
        path === ''
          ? 'Let the balancer pass this path on to redmint.'
          : 'Let the balancer pass this path on to redmint, and set PROXY_STRIPS_PATH if it removes the path of ISSUER.'
      return [...findings, problem(`${issuer}${PATHS.openid_configuration} ${answered}`, advice)]
    }
    if (metadata.issuer !== issuer) {
      const found = `discovery names the issuer ${JSON.stringify(metadata.issuer)}, and ISSUER is ${issuer} here`
      return [...findings, problem(found, 'Set the same ISSUER here and in all servers.')]
    }
    findings.push(
      ok(`${issuer} answers, and discovery names it`),
      ...headerFindings(url, response.headers),
      await metricsFinding(issuer),
      await arrivalFinding(storage, settings),
    )
    return path === ''
      ? findings
      : [...findings, await rootFinding(url.origin + ROOT_PATHS.oauth_metadata + path)]
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error
    const { cause, message } = error as Error & { cause?: { code?: string } }
    const found = `${issuer} does not answer from here (${cause?.code ?? message})`
    return [...findings, warning(found, 'Check whether clients can reach it; this machine need not.')]
  }
}

/** Whether headers of the answer get through. */
function headerFindings({ protocol }: URL, headers: Headers): Finding[] {
  const { ok, warning } = findingsOf('issuer headers')
  const missing = [
    // RFC 6797 §7.1.
    ...(protocol === 'https:' && !headers.has('strict-transport-security')
      ? ['Strict-Transport-Security']
      : []),
    ...(headers.has('x-request-id') ? [] : ['X-Request-Id']),
  ]
  if (missing.length === 0) return [ok('they get through')]
  return [
    warning(
      `the balancer removes ${missing.join(' and ')}`,
      'Let it pass on the headers of redmint: without an X-Request-Id nobody can ask why a request was refused.',
    ),
  ]
}

/** Whether everybody who reaches the issuer reads the metrics of the servers. */
async function metricsFinding(issuer: string): Promise<Finding> {
  const { ok, warning } = findingsOf('metrics')
  const address = `${issuer}/actuator/prometheus`
  const response = await ask(address).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status === 200
    ? warning(
        `${address} answers everybody: sign-ins, clients and errors in numbers`,
        'Set MANAGEMENT_PORT in all servers, or let the proxy answer 404 there, as deploy/haproxy.cfg does.',
      )
    : ok(`${address} answers ${response?.status ?? 'nothing'}`)
}

/** Whether clients that go by RFC 8414 §3.1 find the metadata of an issuer with a path, at the root of its host. */
async function rootFinding(address: string): Promise<Finding> {
  const { ok, warning } = findingsOf('issuer metadata')
  const { status, body } = await ask(address)
  await body?.cancel()
  return status === 200
    ? ok(`${address} answers`)
    : warning(
        `${address} answers ${status}: clients of OAuth 2.0 look there (RFC 8414 §3.1)`,
        'Let the balancer pass this path on to redmint, unchanged.',
      )
}

function ask(address: string): Promise<Response> {
  return send(address, {}, WITHIN_MS)
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
