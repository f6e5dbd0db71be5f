export { default as resourceMetadata, type ResourceMetadataOptions } from '../plugins/resource-metadata.ts'
export {
  default,
  type ResourceGuardOptions,
  type ResourceServerPluginOptions,
  resourceGuard,
} from '../plugins/resource-server.ts'
export type { Actor } from '../src/core/actor.ts'
export type { AccessToken } from '../src/resource-server/access-token.ts'
export type { UsedProofs } from '../src/resource-server/binding.ts'
export type { Needs } from '../src/resource-server/check-access.ts'
export type { CertificateOf } from '../src/resource-server/client-certificate.ts'
export {
  createResourceServer,
  type DpopOptions,
  type ResourceServerOptions,
} from '../src/resource-server/create.ts'
export type { IntrospectionOptions } from '../src/resource-server/introspection-client.ts'
export type { ApiRequest } from '../src/resource-server/presented-token.ts'
export type { Answer, ResourceMetadata } from '../src/resource-server/resource-metadata.ts'
export type { ResourceServer } from '../src/resource-server/resource-server.ts'
