import etag from '@fastify/etag'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JWK } from 'jose'
import { clientNetwork } from '../plugins/address.ts'
import { noteHowItArrived } from '../plugins/arrival.ts'
import type { Context } from '../src/context.ts'
import { tellUnproven } from '../src/core/connection-steps.ts'
import { issuerPath, PATHS, ROOT_PATHS, routePrefix } from '../src/core/paths.ts'
import { JWKS_MAX_AGE } from '../src/keys/timing.ts'
import { JwkSet, publicKeySet } from '../src/service/key-set.ts'
import { ServerMetadata, serverMetadata } from '../src/service/metadata.ts'
import { preparedFrom, sendPrepared } from './prepared.ts'
import { ErrorBody, ref } from './schemas.ts'

const OPENID_CONFIGURATION = {
  operationId: 'openidConfiguration',
  summary: 'Provider metadata (OpenID Connect Discovery §4)',
  tags: ['Discovery'],
  response: { 200: ref(ServerMetadata), 503: ErrorBody },
} as const

const OAUTH_METADATA = {
  schema: {
    operationId: 'oauthServerMetadata',
    summary: 'Server metadata (RFC 8414 §3)',
    tags: ['Discovery'],
    response: { 200: ref(ServerMetadata), 503: ErrorBody },
  },
} as const

const JWKS = {
  schema: {
    operationId: 'jwks',
    summary: 'Key set (RFC 7517 §5)',
    tags: ['Discovery'],
    response: { 200: ref(JwkSet), 503: ErrorBody },
  },
} as const

/** Returns what prepares the metadata, and notes who reads it. */
function metadataOf(redmint: Context) {
  const prepare = preparedFrom((types: readonly string[]) => serverMetadata(redmint, types))
  return async (request: FastifyRequest) => {
    tellUnproven(redmint, () => ({ step: 'discovery', from: clientNetwork(request) }))
    return prepare(await redmint.detail_types.names())
  }
}

const route: FastifyPluginAsyncTypebox = async (fastify) => {
  await fastify.register(etag)

  const publish = (reply: FastifyReply) => reply.header('cache-control', `public, max-age=${JWKS_MAX_AGE}`)
  const { settings, keys } = fastify.redmint
  // No cache may get an answer that lacks an algorithm, or names one without a key.
  fastify.addHook('onRequest', (_request, _reply, done) => {
    const first = keys.firstKeys()
    if (first === undefined) done()
    else first.then(() => done(), done)
  })
  const metadata = metadataOf(fastify.redmint)
  const keySet = preparedFrom((keys: readonly JWK[]) => publicKeySet(keys, settings.signing_algs))

  const prefix = routePrefix(settings)
  const path = issuerPath(settings.issuer)
  const below = prefix + PATHS.openid_configuration
  // RFC 8414 §5: clients of OAuth look for it where those of OpenID Connect do not.
  for (const place of new Set([below, ROOT_PATHS.openid_configuration + path])) {
    fastify.get(
      place,
      { schema: { ...OPENID_CONFIGURATION, hide: place !== below }, onRequest: noteHowItArrived },
      async (request, reply) => sendPrepared(publish(reply), await metadata(request)),
    )
  }

  fastify.get(
    // RFC 8414 §3.1.
    ROOT_PATHS.oauth_metadata + path,
    OAUTH_METADATA,
    async (request, reply) => sendPrepared(publish(reply), await metadata(request)),
  )

  fastify.get(prefix + PATHS.jwks, JWKS, (_request, reply) => {
    const published = keySet(keys.publicKeys())
    sendPrepared(publish(reply), published)
  })
}

export default route
