import type { ProofRules, UsedProofs } from './binding.ts'
import { type CertificateOf, certificateOfSocket, thumbprintOf } from './client-certificate.ts'
import type { IntrospectionOptions } from './introspection-client.ts'
import { keyedNonces } from './keyed-nonces.ts'
import { type Names, refuseUnknownNames } from './known-names.ts'
import { RememberedProofs } from './remembered-proofs.ts'
import { metadataUrl } from './resource-metadata.ts'
import { type GuardOptions, guardResource, type ResourceServer } from './resource-server.ts'
import { createVerifier } from './verifier.ts'

/** How an API takes tokens that are bound to the key of a DPoP proof (RFC 9449). */
export interface DpopOptions {
  /** Whether every token must be bound to a key. Default: false. */
  readonly required?: boolean
  /** A secret of at least 32 bytes, the same in every process of the API. With it every proof needs a nonce. Default: none. */
  readonly nonce_secret?: string
  /** Where proofs that were used are remembered. Default: the memory of this process. */
  readonly used_proofs?: UsedProofs
}

export interface ResourceServerOptions extends Omit<GuardOptions, 'certificateOf' | 'proofs'> {
  /** A token must be for one of these (`aud`). Default: the resource. */
  readonly audience?: string | readonly string[]
  /** How opaque tokens are introspected. Without it they are refused. */
  readonly introspection?: IntrospectionOptions
  /** How tokens with DPoP proofs are taken. */
  readonly dpop?: DpopOptions
  /**
   * Returns the client certificate of a request, which a proxy passes on. Default: that of the connection, if this process
   * terminates TLS.
   */
  readonly certificateOf?: CertificateOf
}

const OPTIONS: Names<ResourceServerOptions> = {
  issuer: true,
  resource: true,
  audience: true,
  audiences: true,
  introspection: true,
  dpop: true,
  certificateOf: true,
  scopes_supported: true,
  resource_name: true,
  resource_documentation: true,
  tls_client_certificate_bound_access_tokens: true,
  realm: true,
  now: true,
}
const DPOP: Names<DpopOptions> = { required: true, nonce_secret: true, used_proofs: true }
const INTROSPECTION: Names<IntrospectionOptions> = {
  client_id: true,
  client_secret: true,
  cache_seconds: true,
  signed: true,
}

/**
 * Returns the guard of an API: it verifies access tokens by the documents of their issuer, which it fetches when the
 * first token arrives.
 * @throws TypeError if the resource, the issuer or a secret cannot be one, or an option is not known; the message says what
 * to set
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  refuseUnknownNames('the options of the resource server', options, OPTIONS)
  refuseUnknownNames('dpop', options.dpop ?? {}, DPOP)
  refuseUnknownNames('introspection', options.introspection ?? {}, INTROSPECTION)
  const { dpop = {}, certificateOf, introspection, ...guarded } = options
  const { issuer, resource, audience = resource, now = Date.now } = options
  const verify = createVerifier({ issuer, audience: [audience].flat(), introspection, now })
  const find = certificateOf ?? certificateOfSocket
  return guardResource(verify, {
    // Without certificateOf it may not work: a proxy may terminate TLS.
    tls_client_certificate_bound_access_tokens: certificateOf !== undefined,
    ...guarded,
    proofs: proofRules(dpop, metadataUrl(resource).origin, now),
    certificateOf: (request) => thumbprintOf(find(request)),
  })
}

function proofRules(
  { required = false, nonce_secret, used_proofs }: DpopOptions,
  base: string,
  now: () => number,
): ProofRules {
  return {
    baseOf: () => base,
    required,
    ...(nonce_secret !== undefined && { nonces: keyedNonces(nonce_secret, now) }),
    used: used_proofs ?? new RememberedProofs(now),
  }
}
