import { resourceKey } from '../../src/core/resource-uri.ts'
import { scopeNames } from '../../src/core/scope.ts'
import { isLoopbackHost, isUrl } from '../../src/core/uri.ts'
import { send } from '../../src/outbound/operator-fetch.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import {
  type DocumentAnswer,
  differBySlash,
  fetchDocument,
  isReadable,
  listOf,
  ORIGIN,
  redirection,
} from './document.ts'

// token = quoted-string or token = token68-like text (RFC 9110 §11.2).
const ATTRIBUTE = /([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g

/**
 * Returns the attributes of the Bearer challenge in a WWW-Authenticate header (RFC 6750 §3), by their names in lower case;
 * undefined if there is none.
 */
export function bearerAttributes(header: string | null): ReadonlyMap<string, string> | undefined {
  const start = /(?:^|,)\s*bearer(?=\s|,|$)/i.exec(header ?? '')
  if (header === null || start === null) return undefined
  const after = header.slice(start.index + start[0].length)
  // Another challenge begins with a scheme, which has no "=" behind it.
  const next = /,\s*[A-Za-z][A-Za-z0-9_-]*\s+[A-Za-z0-9_-]+\s*=/.exec(
    after.replace(/"(?:[^"\\]|\\.)*"/g, blank),
  )
  const own = next === null ? after : after.slice(0, next.index)
  return new Map(
    [...own.matchAll(ATTRIBUTE)].map(([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? plain,
    ]),
  )
}

const blank = (quoted: string) => '"'.padEnd(quoted.length - 1, '_').concat('"')

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

// The first message of every client.
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'redmint-mcp-doctor', version: '1' },
  },
}

/** What the MCP server tells a client without a token. */
interface Challenge {
  readonly findings: readonly Finding[]
  /** Absent: the server does not demand a token, and there is nothing more to find out. */
  readonly attributes?: ReadonlyMap<string, string>
}

/** Returns the status of the answer to the first message of a client with this token. @throws Error if there is none */
export async function askAs(server: string, token: string): Promise<number> {
  const { status, body } = await initialize(server, { authorization: `Bearer ${token}` })
  await body?.cancel()
  return status
}

function initialize(server: string, more: Readonly<Record<string, string>> = {}): Promise<Response> {
  return send(server, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      origin: ORIGIN,
      ...more,
    },
    body: JSON.stringify(INITIALIZE),
  })
}

/** Sends the first message of a client, without a token. */
export async function askWithoutToken(server: string): Promise<Challenge> {
  const { ok, warning, problem } = findingsOf('first request')
  const response = await initialize(server).catch((error: Error) => error)
  if (response instanceof Error) {
    return { findings: [problem(response.message, 'Check whether the MCP server runs, and its address.')] }
  }
  await response.body?.cancel()
  const { status, headers } = response
  if (status !== 401) return { findings: [problem(...unexpected(server, status, headers))] }
  const attributes = bearerAttributes(headers.get('www-authenticate'))
  if (attributes === undefined) {
    const found = `${server} answers 401 without a Bearer challenge in WWW-Authenticate`
    return { findings: [problem(found, 'Let the guard of the MCP server answer, not a proxy before it.')] }
  }
  const exposed = (headers.get('access-control-expose-headers') ?? '').toLowerCase()
  const is_exposed = exposed.includes('www-authenticate') || exposed.includes('*')
  return {
    attributes,
    findings: [
      ok(`${server} answers 401 with a Bearer challenge`),
      isReadable(headers) && is_exposed
        ? ok('pages of other origins may read the challenge')
        : warning(
            'clients in a browser cannot read the challenge',
            'Add access-control-allow-origin: * and access-control-expose-headers: WWW-Authenticate to all answers.',
          ),
    ],
  }
}

function unexpected(server: string, status: number, headers: Headers): [finding: string, advice: string] {
  const found = `${server} answers ${status}${redirection(headers)} without a token`
  if (status < 300) {
    return [`${found}: it demands none`, 'Guard it, for example with redmint/resource-server.']
  }
  if (status < 400) return [found, 'Give clients the address that it leads to: a redirect loses the token.']
  if (status === 404) return [found, 'Look at the path: it must be that of the MCP endpoint.']
  return [found, 'Answer a request without a token with 401 and a Bearer challenge (RFC 6750 §3).']
}

/** The addresses at which clients look for the metadata if the challenge names none (RFC 9728 §3.1, and the root). */
function metadataAddresses(server: string): string[] {
  const { origin, pathname, search } = new URL(server)
  const path = pathname.replace(/\/$/, '')
  return [...new Set([origin + WELL_KNOWN + path + search, origin + WELL_KNOWN])]
}

/** What the metadata of the MCP server lead to. */
interface Metadata {
  readonly findings: readonly Finding[]
  /** Absent: there is none that clients could ask. */
  readonly issuer?: string
  /** What the MCP server is called, and the scopes that clients will ask for. */
  readonly resource?: string
  readonly scopes?: readonly string[]
}

/** Looks for the metadata of the MCP server (RFC 9728), and checks them. */
export async function findMetadata(
  server: string,
  challenge: ReadonlyMap<string, string>,
): Promise<Metadata> {
  const { ok, problem } = findingsOf('resource metadata')
  const guesses = await Promise.all(metadataAddresses(server).map(fetchDocument))
  const named = challenge.get('resource_metadata')
  const used = named === undefined ? guesses.find(hasDocument) : await namedAnswer(named, guesses)
  if (used === undefined || 'failure' in used) {
    const failures = used === undefined ? guesses : [used]
    const said = failures.map((answer) => ('failure' in answer ? answer.failure : '')).join('; ')
    return {
      findings: [problem(said, 'Serve the metadata of RFC 9728 there, as JSON and without a token.')],
    }
  }
  const { url, document, headers } = used
  const issuers = listOf(document.authorization_servers) ?? []
  const [issuer] = issuers
  return {
    findings: [
      ok(`${url} has the metadata`),
      ...addressFindings(named, guesses.some(hasDocument), server),
      ...readableFindings(url, headers),
      resourceFinding(server, document.resource),
      scopeFinding(challenge.get('scope'), listOf(document.scopes_supported)),
      issuerFinding(url, issuers),
    ],
    ...(issuer !== undefined && isAddress(issuer) && { issuer }),
    ...(typeof document.resource === 'string' && { resource: document.resource }),
    scopes: scopeNames(challenge.get('scope') ?? listOf(document.scopes_supported)?.join(' ') ?? ''),
  }
}

const hasDocument = (answer: DocumentAnswer) => 'document' in answer

async function namedAnswer(named: string, guesses: readonly DocumentAnswer[]): Promise<DocumentAnswer> {
  if (!isUrl(named)) {
    return { url: named, failure: `resource_metadata ${JSON.stringify(named)} is not an address` }
  }
  return guesses.find(({ url }) => url === named) ?? (await fetchDocument(named))
}

function addressFindings(named: string | undefined, is_guessed: boolean, server: string): Finding[] {
  const { warning } = findingsOf('resource metadata')
  if (named === undefined) {
    return [
      warning(
        'the challenge has no resource_metadata, so clients guess the address',
        'Add resource_metadata with the address of the document (RFC 9728 §5.1).',
      ),
    ]
  }
  if (is_guessed) return []
  return [
    warning(
      `clients that do not read the challenge find nothing at ${metadataAddresses(server).join(' and ')}`,
      'Serve the same document at the first of them.',
    ),
  ]
}

function readableFindings(url: string, headers: Headers): Finding[] {
  if (isReadable(headers)) return []
  const { warning } = findingsOf('resource metadata')
  return [
    warning(`clients in a browser cannot read ${url}`, 'Add access-control-allow-origin: * to the answer.'),
  ]
}

function resourceFinding(server: string, resource: unknown): Finding {
  const { ok, warning, problem } = findingsOf('resource')
  if (typeof resource !== 'string' || !isUrl(resource)) {
    return problem('the metadata have no resource', `Set resource to ${server} (RFC 9728 §3.3).`)
  }
  if (resource === server) return ok(`it is ${server}, as clients know it`)
  const [asked, named] = [resourceKey(server) ?? server, resourceKey(resource) ?? resource]
  if (asked === named) return ok(`it is ${resource}, the same URL`)
  const found = `it is ${resource}, and clients were given ${server}`
  const advice = `Give clients ${resource}, or set the resource to ${server} in the MCP server and in redmint.`
  if (differBySlash(asked, named)) {
    return problem(`${found}: they differ by the slash at the end, and clients compare it`, advice)
  }
  const parent = named.endsWith('/') ? named : `${named}/`
  if (asked.startsWith(parent)) {
    return warning(`${found}, which lies below it: strict clients refuse it (RFC 9728 §3.3)`, advice)
  }
  return problem(`${found}: clients refuse another address than the one they asked (RFC 9728 §3.3)`, advice)
}

function scopeFinding(challenged: string | undefined, supported: readonly string[] | undefined): Finding {
  const { ok, warning } = findingsOf('scopes')
  const asked = challenged ?? supported?.join(' ')
  if (!asked) {
    return warning(
      'neither the challenge nor the metadata name scopes, so clients ask for none or for all',
      'Name the scopes of the first request in the challenge, and all in scopes_supported.',
    )
  }
  if (asked.split(' ').includes('offline_access')) {
    return warning(
      `clients will ask for ${asked}`,
      'Leave out offline_access: it is not a scope of the MCP server, and clients add it if they want it.',
    )
  }
  return ok(`clients will ask for ${asked}`)
}

function issuerFinding(url: string, issuers: readonly string[]): Finding {
  const { ok, problem } = findingsOf('authorization server')
  const [issuer, ...others] = issuers
  if (issuer === undefined) {
    return problem(
      `${url} has no authorization_servers`,
      'Name the issuer of the tokens there (RFC 9728 §2).',
    )
  }
  if (!isAddress(issuer)) {
    return problem(
      `the authorization server ${issuer} is not an https address`,
      'Name the issuer as its own metadata have it; http is for loopback only.',
    )
  }
  return ok(others.length === 0 ? issuer : `${issuer}; most clients ignore the others: ${others.join(' ')}`)
}

function isAddress(issuer: string): boolean {
  if (!isUrl(issuer)) return false
  const { protocol, hostname } = new URL(issuer)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}
