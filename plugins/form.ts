import formbody from '@fastify/formbody'
import fp from 'fastify-plugin'
import { readParameters } from '../src/core/parameters.ts'

// A body of 16 KiB is refused (413).
const BODY_LIMIT = 16 * 1024 - 1

/** Accepts only forms as request bodies (RFC 6749 §3.2), and parses them strictly. */
export default fp(
  async (fastify) => {
    fastify.removeAllContentTypeParsers()
    await fastify.register(formbody, { parser: readParameters, bodyLimit: BODY_LIMIT })
  },
  { name: 'redmint-form' },
)
