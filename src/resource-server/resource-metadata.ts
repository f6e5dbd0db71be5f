import { type Static, Type } from '@sinclair/typebox'
import { VERIFIED_ALGS } from '../core/algs.ts'
import type { ChallengeAttributes } from '../core/challenge.ts'
import { type DevRule, mayBeHttp } from '../core/dev-mode.ts'
import { resourceKey } from '../core/resource-uri.ts'

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const Uri = Type.String({ format: 'uri' })
const Names = Type.Array(Type.String())

/** The metadata of a protected resource (RFC 9728 §2). */
export const ResourceMetadata = Type.Object(
  {
    resource: Uri,
    authorization_servers: Type.Array(Uri),
    scopes_supported: Type.Optional(Names),
    bearer_methods_supported: Names,
    dpop_signing_alg_values_supported: Type.Optional(Names),
    dpop_bound_access_tokens_required: Type.Optional(Type.Boolean()),
    tls_client_certificate_bound_access_tokens: Type.Optional(Type.Boolean()),
    resource_name: Type.Optional(Type.String()),
    resource_documentation: Type.Optional(Uri),
  },
  { description: 'Who issues tokens for the protected resource (RFC 9728 §2)' },
)
export type ResourceMetadata = Static<typeof ResourceMetadata>

/** What a resource says about itself. */
export interface ResourceOptions {
  /** The resource identifier: the https URL of the API (RFC 9728 §1.2). http is for loopback only. */
  readonly resource: string
  /** The issuer of its tokens. */
  readonly issuer: string
  /** The realm of the challenges (RFC 9110 §11.5). Default: none. */
  readonly realm?: string
  /** The scopes that clients may need. */
  readonly scopes_supported?: readonly string[]
  /** The name of the API for people. */
  readonly resource_name?: string
  /** The address of its documentation. */
  readonly resource_documentation?: string
  /**
   * What is done with a server for development (`redmint dev`, demo mode), which gives anybody any token: `allow` is for
   * tests and laptops, and takes addresses of a private network without TLS, too. Default: `refuse`.
   */
  readonly dev?: DevRule
  /** Whether it takes tokens that are bound to a client certificate (RFC 8705 §3). */
  readonly tls_client_certificate_bound_access_tokens?: boolean
}

/** An answer to a request: what `node:http` writes. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
}

/** A resource, and where it is described. */
export interface DescribedResource {
  /** The metadata of the resource (RFC 9728 §2). */
  readonly metadata: ResourceMetadata
  /** The path to answer with `document`, whether the method is GET or OPTIONS. */
  readonly metadata_path: string
  /** The answer at the path of the metadata: pages of any origin may read it. */
  readonly document: Answer
  /** What every challenge says of it (RFC 9728 §5.1). */
  readonly place: ChallengeAttributes
}

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' } as const
// Seconds.
const METADATA_MAX_AGE = 300

/**
 * Describes a resource.
 * @param dpop how it takes tokens that are bound to the key of a DPoP proof; absent: not at all
 * @throws TypeError if it cannot be one; the message says what to set
 */
export function describeResource(
  options: ResourceOptions,
  dpop?: { readonly required: boolean },
): DescribedResource {
  const { resource, issuer, realm, scopes_supported, resource_name, resource_documentation } = options
  const { href, pathname } = metadataUrl(resource, options.dev)
  const metadata = {
    resource,
    authorization_servers: [issuer],
    ...(scopes_supported && { scopes_supported: [...scopes_supported] }),
    bearer_methods_supported: ['header'],
    ...(dpop && { dpop_signing_alg_values_supported: [...VERIFIED_ALGS] }),
    ...(dpop?.required && { dpop_bound_access_tokens_required: true }),
    ...(options.tls_client_certificate_bound_access_tokens && {
      tls_client_certificate_bound_access_tokens: true,
    }),
    ...(resource_name && { resource_name }),
    ...(resource_documentation && { resource_documentation }),
  }
  return {
    metadata,
    metadata_path: pathname,
    place: { ...(realm && { realm }), resource_metadata: href },
    document: {
      status: 200,
      headers: {
        ...JSON_TYPE,
        'cache-control': `public, max-age=${METADATA_MAX_AGE}`,
        'access-control-allow-origin': '*',
        // The answer to a preflight request, too.
        'access-control-allow-headers': '*',
      },
      body: JSON.stringify(metadata),
    },
  }
}

/**
 * Returns the address of the metadata of a resource: the well-known path goes in front of its own path (RFC 9728 §3.1).
 * @throws TypeError if a resource cannot have this identifier
 */
export function metadataUrl(resource: string, dev: DevRule = 'refuse'): URL {
  const url = resourceKey(resource) === undefined ? undefined : new URL(resource)
  const is_safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && mayBeHttp(url.hostname, dev))
  if (url === undefined || !is_safe || url.search !== '' || url.username !== '' || url.password !== '') {
    throw new TypeError(
      `The resource ${resource} is not an https URL without query, fragment and user: set it to the address of the API.`,
    )
  }
  return new URL(WELL_KNOWN + (url.pathname === '/' ? '' : url.pathname), url)
}
