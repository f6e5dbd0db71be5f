import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import fp from 'fastify-plugin'
import { UserInfo } from '../src/claims/userinfo.ts'
import { ErrorBody } from '../src/core/error-body.ts'
import { VERSION } from '../src/core/version.ts'
import { DemoResource } from '../src/service/demo-resource.ts'
import { Health, Info, Status } from '../src/service/health.ts'
import { JwkSet } from '../src/service/key-set.ts'
import { ServerMetadata } from '../src/service/metadata.ts'
import { Introspection } from '../src/tokens/introspection.ts'
import { TokenResponse } from '../src/tokens/token-response.ts'

// The response schemas that routes refer to. The prefix of their $id separates them from the schemas of a host.
const ANSWERS = [
  DemoResource,
  ErrorBody,
  Health,
  Info,
  Introspection,
  JwkSet,
  ServerMetadata,
  Status,
  TokenResponse,
  UserInfo,
]
const PREFIX = 'redmint:'

/** Registers the response schemas, and describes all later routes. */
export default fp(
  async (fastify) => {
    const { settings } = fastify.redmint
    for (const answer of ANSWERS) fastify.addSchema(answer)
    await fastify.register(swagger, {
      transformObject: withAnswersOnly,
      refResolver: { buildLocalReference: ({ $id }, _base, _fragment, i) => nameOf($id) ?? `def-${i}` },
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'redmint',
          version: VERSION,
          description: 'OAuth 2.0 / OpenID Connect authorization server and protected demo API',
        },
        servers: [{ url: settings.issuer }],
        components: {
          securitySchemes: {
            bearer: { type: 'http', scheme: 'bearer', description: 'An access token (RFC 6750)' },
            client_secret_basic: {
              type: 'http',
              scheme: 'basic',
              description: 'client_id and client_secret, form-encoded (RFC 6749 §2.3.1)',
            },
          },
        },
      },
    })
  },
  { name: 'redmint-openapi', dependencies: ['redmint-context'] },
)

function nameOf($id: unknown): string | undefined {
  return typeof $id === 'string' && $id.startsWith(PREFIX) ? $id.slice(PREFIX.length) : undefined
}

// The schemas of a host application are visible here, but are not described.
const withAnswersOnly: SwaggerTransformObject = (document) => {
  if (!('openapiObject' in document)) return document.swaggerObject
  const { openapiObject } = document
  const schemas = openapiObject.components?.schemas ?? {}
  const names = ANSWERS.map(({ $id }) => nameOf($id))
  for (const name of Object.keys(schemas)) if (!names.includes(name)) delete schemas[name]
  return openapiObject
}
