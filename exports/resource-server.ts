export { default, type ResourceServerPluginOptions } from '../plugins/resource-server.ts'
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
export type { ResourceMetadata } from '../src/resource-server/resource-metadata.ts'
export type { Answer, ResourceServer } from '../src/resource-server/resource-server.ts'
