import type { IntrospectionOptions } from './introspection-client.ts'
import { type GuardOptions, guardResource, type ResourceServer } from './resource-server.ts'
import { createVerifier } from './verifier.ts'

export interface ResourceServerOptions extends GuardOptions {
  /** A token must be for one of these (`aud`). Default: the resource. */
  readonly audience?: string | readonly string[]
  /** How opaque tokens are introspected. Without it they are refused. */
  readonly introspection?: IntrospectionOptions
}

/**
 * Returns the guard of an API: it verifies access tokens by the documents of their issuer, which it fetches when the
 * first token arrives.
 * @throws TypeError if the resource or the issuer cannot be one; the message says what to set
 */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const { issuer, resource, audience = resource, introspection, now = Date.now } = options
  const verify = createVerifier({ issuer, audience: [audience].flat(), introspection, now })
  return guardResource(verify, options)
}
