import etag from '@fastify/etag'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyReply } from 'fastify'
import type { ErrorBody as Body } from '../src/core/error-body.ts'
import { PATHS, statusListUri } from '../src/core/paths.ts'
import { prefersGzip } from '../src/core/preferences.ts'
import { StatusLists } from '../src/service/metadata.ts'
import { LIST_TTL } from '../src/status-lists/list-token.ts'
import type { PublishedList, PublishedLists } from '../src/status-lists/published.ts'
import { STATUS_LIST_JWT } from '../src/tokens/jwt.ts'
import { ErrorBody, ref } from './schemas.ts'

const UNKNOWN: Body = { error: 'not_found', error_description: 'There is no such status list.' }

const CACHED = `public, max-age=${LIST_TTL}`

const schema = {
  operationId: 'statusList',
  summary: 'Status list of JWT access tokens (draft-ietf-oauth-status-list §8)',
  tags: ['OAuth 2.0'],
  params: Type.Object({ list: Type.String({ description: 'As in the address that the token names' }) }),
  response: {
    200: { description: 'The list, signed', content: { [STATUS_LIST_JWT]: { schema: { type: 'string' } } } },
    404: ErrorBody,
    503: ErrorBody,
  },
}

const allSchema = {
  operationId: 'statusLists',
  summary: 'Addresses of all status lists (draft-ietf-oauth-status-list §9.3)',
  tags: ['OAuth 2.0'],
  response: {
    200: ref(StatusLists),
    503: ErrorBody,
  },
}

/** The status lists (draft-ietf-oauth-status-list §8.1, §9), from memory. */
const route: FastifyPluginAsyncTypebox<{ readonly published: PublishedLists }> = async (
  fastify,
  { published },
) => {
  const { settings } = fastify.redmint
  await fastify.register(etag)
  fastify.get(PATHS.status_lists, { schema: allSchema }, async (_request, reply) => {
    const status_lists = published.ids().map((id) => statusListUri(settings, id))
    reply.header('cache-control', CACHED)
    return { status_lists }
  })
  fastify.get(PATHS.status_list, { schema }, async (request, reply) => {
    const list = published.find(request.params.list)
    if (list === undefined) return reply.status(404).send(UNKNOWN)
    return sendList(reply, list, prefersGzip(request.headers['accept-encoding']))
  })
}

/** Sends a list. @fastify/etag answers a request that has it already (RFC 9110 §13.1.2). */
function sendList(reply: FastifyReply, { jwt, gzip, etag }: PublishedList, zipped: boolean): FastifyReply {
  reply.type(STATUS_LIST_JWT).headers({
    'cache-control': CACHED,
    etag: `"${etag}${zipped ? '-gzip' : ''}"`,
    vary: 'accept-encoding',
  })
  return zipped ? reply.header('content-encoding', 'gzip').send(gzip) : reply.send(jwt)
}

export default route
