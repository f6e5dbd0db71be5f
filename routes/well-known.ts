import etag from '@fastify/etag'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import type { JWK } from 'jose'
import { PATHS } from '../src/core/paths.ts'
import { JWKS_MAX_AGE } from '../src/keys/timing.ts'
import { serverMetadata } from '../src/service/metadata.ts'
import { ErrorBody } from './schemas.ts'

const Metadata = Type.Object({ issuer: Type.String() }, { additionalProperties: true })
const KeySet = Type.Object({
  keys: Type.Array(Type.Unsafe<JWK>({ type: 'object', additionalProperties: true })),
})

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  await fastify.register(etag)

  const publish = (reply: FastifyReply) => reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE}`)
  const metadata = serverMetadata(fastify.redmint.settings)

  fastify.get(
    PATHS.openid_configuration,
    {
      schema: {
        summary: 'Provider metadata (OpenID Connect Discovery §4)',
        tags: ['Discovery'],
        response: { 200: Metadata },
      },
    },
    async (_request, reply) => {
      publish(reply)
      return metadata
    },
  )

  fastify.get(
    PATHS.oauth_metadata,
    {
      schema: { summary: 'Server metadata (RFC 8414 §3)', tags: ['Discovery'], response: { 200: Metadata } },
    },
    async (_request, reply) => {
      publish(reply)
      return metadata
    },
  )

  fastify.get(
    PATHS.jwks,
    {
      schema: {
        summary: 'Key set (RFC 7517 §5)',
        tags: ['Discovery'],
        response: { 200: KeySet, 503: ErrorBody },
      },
    },
    async (_request, reply) => {
      const keys = fastify.redmint.keys.publicKeys()
      publish(reply)
      return { keys: [...keys] }
    },
  )
}

export default route
