import { type Static, Type } from '@sinclair/typebox'
import type { Settings } from '../config/settings.ts'
import { REALM } from '../core/challenge.ts'
import { API_PATH } from '../core/paths.ts'
import type { ProofContext } from '../dpop/check-proof.ts'
import type { ProofRules } from '../resource-server/binding.ts'
import type { VerifyToken } from '../resource-server/check-access.ts'
import { ownProofs } from '../resource-server/own-proofs.ts'
import { ResourceMetadata } from '../resource-server/resource-metadata.ts'
import { type GuardOptions, guardResource, type ResourceServer } from '../resource-server/resource-server.ts'
import { validateAccessToken } from '../tokens/access-token.ts'
import type { ValidationContext } from '../tokens/validation.ts'

type DemoServerContext = ValidationContext &
  ProofContext & { readonly settings: Pick<Settings, 'bearer_check_revocation'> }

/** Returns the resource identifier of the demo API (RFC 8707 §2). */
export function demoResourceUri(issuer: string): string {
  return issuer + API_PATH
}

/**
 * Returns the guard of the demo API. Storage is asked about its tokens, not the documents that this server publishes.
 * @param certificateOf returns the thumbprint of the client certificate of a request
 * @param baseOf returns the origin by which a request came
 */
export function demoServer(
  context: DemoServerContext,
  certificateOf: NonNullable<GuardOptions['certificateOf']>,
  baseOf: ProofRules['baseOf'],
): ResourceServer {
  const { issuer, bearer_check_revocation } = context.settings
  const resource = demoResourceUri(issuer)
  const verify: VerifyToken = (token, proof) =>
    validateAccessToken(context, token, bearer_check_revocation, proof)
  const options = {
    ...REALM,
    issuer,
    resource,
    audiences: [issuer, resource],
    proofs: ownProofs(context, baseOf),
    now: context.now,
    certificateOf,
  }
  return guardResource(verify, options)
}

/** The metadata of the demo API (RFC 9728 §2). */
export const DemoMetadata = Type.Object(ResourceMetadata.properties, {
  $id: 'redmint:ResourceMetadata',
  description: 'Who issues tokens for the demo API (RFC 9728 §2)',
})

/** The response of the protected demo resource. */
export const DemoResource = Type.Object(
  {
    message: Type.String(),
    subject: Type.String({ description: "The user; empty for a client's own token" }),
  },
  { $id: 'redmint:DemoResource', description: 'The protected demo resource' },
)
export type DemoResource = Static<typeof DemoResource>

/** Returns the protected demo resource for the subject of an access token. */
export function demoResource(subject: string): DemoResource {
  return { message: 'This is a protected resource.', subject }
}
