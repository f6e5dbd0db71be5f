import { JWT_BEARER, TOKEN_EXCHANGE } from '../../src/clients/record/grant-types.ts'
import { ID_JAG_PROFILE, TOKEN_TYPE } from '../../src/core/token-types.ts'
import { type Finding, findingsOf } from '../../src/service/finding.ts'
import { findServerMetadata } from './authorization-server.ts'
import { fetchDocument, listOf } from './document.ts'

type Document = Readonly<Record<string, unknown>>

/**
 * What the metadata of the server that issues identity assertions say
 * (draft-ietf-oauth-identity-assertion-authz-grant-04 §7.1).
 */
export async function issuingMetadataFindings(issuer: string): Promise<Finding[]> {
  const { ok, warning, problem } = findingsOf('issuing server')
  const { used, failure } = await findServerMetadata(issuer)
  if (used === undefined)
    return [problem(failure, 'Check the address, and whether this server can be reached from here.')]
  const { document } = used
  if (document.issuer !== issuer)
    return [
      problem(
        `the metadata name ${JSON.stringify(document.issuer)}, and you gave ${issuer}`,
        'Give the issuer as its metadata have it: assertions have that text, and the other server compares it.',
      ),
    ]
  return [
    listOf(document.identity_chaining_requested_token_types_supported)?.includes(TOKEN_TYPE.id_jag)
      ? ok(`${issuer} says that it issues identity assertions`)
      : warning(
          'identity_chaining_requested_token_types_supported lacks id-jag: it does not say that it issues identity assertions',
          'Ask its operator whether it does. Every server of redmint does.',
        ),
    listOf(document.grant_types_supported)?.includes(TOKEN_EXCHANGE)
      ? ok('clients can exchange tokens there')
      : problem(
          `grant_types_supported lacks ${TOKEN_EXCHANGE}`,
          'Clients ask for an assertion by token exchange (RFC 8693): turn it on there.',
        ),
    await keysFinding(document),
  ]
}

async function keysFinding({ jwks_uri }: Document): Promise<Finding> {
  const { ok, problem } = findingsOf('issuing keys')
  if (typeof jwks_uri !== 'string') return problem('the metadata have no jwks_uri', 'Add it (RFC 8414 §2).')
  const answer = await fetchDocument(jwks_uri)
  if ('failure' in answer)
    return problem(answer.failure, 'The other server checks assertions by these keys: let it reach them.')
  const { keys } = answer.document
  return Array.isArray(keys) && keys.length > 0
    ? ok(`its keys are at ${jwks_uri}`)
    : problem(`${jwks_uri} has no keys`, 'The other server can check no assertion: publish the keys there.')
}

/** What the metadata of the server that takes them say (§7.2). */
export async function receivingMetadataFindings(issuer: string): Promise<Finding[]> {
  const { ok, problem } = findingsOf('receiving server')
  const { used } = await findServerMetadata(issuer)
  // What is wrong with it is among the findings about the MCP server.
  if (used === undefined) return []
  const { document } = used
  const has_grant = listOf(document.grant_types_supported)?.includes(JWT_BEARER)
  const has_profile = listOf(document.authorization_grant_profiles_supported)?.includes(ID_JAG_PROFILE)
  const lacking = [
    ...(has_grant ? [] : [`grant_types_supported lacks ${JWT_BEARER}`]),
    ...(has_profile ? [] : [`authorization_grant_profiles_supported lacks ${ID_JAG_PROFILE}`]),
  ]
  return [
    lacking.length === 0
      ? ok(`${issuer} says that it takes identity assertions`)
      : problem(
          `${lacking.join(', and ')}: clients do not try it`,
          'With redmint set TRUSTED_ISSUERS=true; ask the operator of another server.',
        ),
  ]
}
