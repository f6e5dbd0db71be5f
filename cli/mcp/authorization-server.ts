import { send } from '../../src/outbound/operator-fetch.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import { type DocumentAnswer, differBySlash, fetchDocument, isReadable, listOf, ORIGIN } from './document.ts'

type Document = Extract<DocumentAnswer, { document: unknown }>['document']

/** The addresses at which clients look for the metadata of an issuer, in their order. */
function issuerAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      `${origin}${path}/.well-known/openid-configuration`,
    ]),
  ]
}

/** Looks for the metadata of an authorization server (RFC 8414, OpenID Connect Discovery), as clients do. */
export async function findServerMetadata(issuer: string) {
  const answers = await Promise.all(issuerAddresses(issuer).map(fetchDocument))
  const used = answers.find((answer) => !isMissing(answer))
  if (used !== undefined && 'document' in used) return { answers, used }
  const failures = (used === undefined ? answers : [used]).map((answer) =>
    'failure' in answer ? answer.failure : '',
  )
  return { answers, failure: failures.join('; ') }
}

/** Checks what clients need of the metadata of an authorization server. */
export async function authorizationServerFindings(issuer: string): Promise<Finding[]> {
  const { ok, problem } = findingsOf('server metadata')
  const { answers, used, failure } = await findServerMetadata(issuer)
  if (used === undefined) {
    const advice =
      'Check whether the authorization server runs, and whether a proxy passes /.well-known/ on to it.'
    return [problem(failure, advice)]
  }
  const { url, document, headers } = used
  const findings = [ok(`${url} has the metadata`), identity(issuer, document.issuer), flow(document)]
  for (const answer of answers) if ('document' in answer) findings.push(pkce(answer.url, answer.document))
  findings.push(responseIssuer(document), registration(document))
  findings.push(await browserFinding(url, headers, document))
  return findings
}

// Clients try the next address after any answer of 4xx, and after a redirect that they do not follow.
const isMissing = (answer: DocumentAnswer) =>
  'failure' in answer && answer.status !== undefined && answer.status >= 300 && answer.status < 500

/** RFC 8414 §3.3: the issuer in the document is the one that was asked, character by character. */
function identity(issuer: string, named: unknown): Finding {
  const { ok, problem } = findingsOf('issuer')
  if (named === issuer) return ok(`the metadata name ${issuer}`)
  const found = `the metadata name ${JSON.stringify(named)}, and the MCP server names ${issuer}`
  const advice = 'Write the issuer of the metadata into authorization_servers of the MCP server.'
  if (typeof named === 'string' && differBySlash(named, issuer)) {
    return problem(`${found}: they differ by the slash at the end, and clients compare it`, advice)
  }
  return problem(`${found}: clients refuse that (RFC 8414 §3.3)`, advice)
}

function flow(document: Document): Finding {
  const { ok, problem } = findingsOf('endpoints')
  const lacking = ['authorization_endpoint', 'token_endpoint'].filter(
    (name) => typeof document[name] !== 'string',
  )
  if (lacking.length > 0)
    return problem(`the metadata lack ${lacking.join(' and ')}`, 'Add them (RFC 8414 §2).')
  if (!listOf(document.response_types_supported)?.includes('code')) {
    return problem('response_types_supported lacks code', 'Clients use nothing but the code flow.')
  }
  const methods = listOf(document.token_endpoint_auth_methods_supported)
  if (methods !== undefined && !methods.includes('none')) {
    return problem(
      'token_endpoint_auth_methods_supported lacks none',
      'Most clients are public ones: allow clients without a secret.',
    )
  }
  return ok('the code flow, also for clients without a secret')
}

function pkce(url: string, document: Document): Finding {
  const { ok, problem } = findingsOf('PKCE')
  const methods = listOf(document.code_challenge_methods_supported)
  if (methods?.includes('S256')) return ok(`${url} has S256`)
  const found = methods === undefined ? `${url} has no code_challenge_methods_supported` : `${url} lacks S256`
  return problem(`${found}: clients refuse to go on`, 'Add code_challenge_methods_supported with S256.')
}

function responseIssuer({ authorization_response_iss_parameter_supported: supported }: Document): Finding {
  const { ok, warning } = findingsOf('iss in responses')
  if (supported === true) return ok('clients that know several servers can tell their responses apart')
  return warning(
    'authorization_response_iss_parameter_supported is not true',
    'Send iss in authorization responses (RFC 9207), and say so in the metadata.',
  )
}

function registration(document: Document): Finding {
  const { ok, warning } = findingsOf('client registration')
  const ways = [
    ...(document.client_id_metadata_document_supported === true ? ['by a client ID metadata document'] : []),
    ...(typeof document.registration_endpoint === 'string' ? ['by dynamic registration'] : []),
  ]
  if (ways.length > 0) return ok(`clients get in ${ways.join(' and ')}`)
  return warning(
    'only clients that the operator registered get in',
    'With redmint set CLIENT_ID_METADATA=on or CLIENT_REGISTRATION=open, or run redmint client add --for mcp --scope … and enter the client_id in the client.',
  )
}

async function browserFinding(url: string, headers: Headers, document: Document): Promise<Finding> {
  const { ok, warning } = findingsOf('CORS')
  const endpoints = [document.token_endpoint, document.registration_endpoint].filter(
    (endpoint): endpoint is string => typeof endpoint === 'string',
  )
  const allowed = await Promise.all(endpoints.map(allowsPages))
  const closed = [...(isReadable(headers) ? [] : [url]), ...endpoints.filter((_, index) => !allowed[index])]
  if (closed.length === 0) return ok('clients in a browser may call the authorization server')
  return warning(
    `clients in a browser cannot call ${closed.join(' and ')}`,
    'Let their answers have access-control-allow-origin: *, and answer OPTIONS requests.',
  )
}

/** Whether an endpoint answers the preflight request of a page of another origin (Fetch §3.2.2). */
async function allowsPages(endpoint: string): Promise<boolean> {
  try {
    const response = await send(endpoint, {
      method: 'OPTIONS',
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    await response.body?.cancel()
    return response.ok && isReadable(response.headers)
  } catch {
    return false
  }
}
