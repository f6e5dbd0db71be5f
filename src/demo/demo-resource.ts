import { type Static, Type } from '@sinclair/typebox'
import type { Settings } from '../config/settings.ts'
import { REALM } from '../core/challenge.ts'
import { devRuleOf } from '../core/dev-mode.ts'
import { API_PATH } from '../core/paths.ts'
import type { GuardedResource } from '../resource-server/own-guard.ts'
import {
  type DescribedResource,
  describeResource,
  ResourceMetadata,
} from '../resource-server/resource-metadata.ts'

/** Returns the resource identifier of the demo API (RFC 8707 §2). */
export function demoResourceUri(issuer: string): string {
  return issuer + API_PATH
}

/** Returns the demo API: what it says of itself, and whom tokens may be for. */
export function describeDemo({
  issuer,
  demo,
}: Pick<Settings, 'demo' | 'issuer'>): DescribedResource & GuardedResource {
  const resource = demoResourceUri(issuer)
  const described = describeResource(
    { ...REALM, issuer, resource, dev: devRuleOf({ demo }) },
    { required: false },
  )
  return { ...described, audiences: [issuer, resource] }
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
