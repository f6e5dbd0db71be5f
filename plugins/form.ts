import formbody from '@fastify/formbody'
import fp from 'fastify-plugin'
import { invalidRequest } from '../src/core/errors.ts'
import { readParameters } from '../src/core/parameters.ts'
import { FORM_WANTED } from './errors.ts'

// A body of 16 KiB is refused (413).
const BODY_LIMIT = 16 * 1024 - 1
/** The same for a form that may have the longest id_token_hint, or a request object with it. */
export const HINT_BODY_LIMIT = 64 * 1024 - 1

/**
 * Accepts only forms as request bodies (RFC 6749 §3.2), and parses them strictly. The schemas of parameters only
 * describe them. Parameters are checked to be strings and nothing else, which costs less than ajv.
 */
export default fp(
  async (fastify) => {
    fastify.removeAllContentTypeParsers()
    await fastify.register(formbody, { parser: readParameters, bodyLimit: BODY_LIMIT })
    fastify.setValidatorCompiler(
      () => (given) => hasOnlyStrings(given) || { error: invalidRequest(FORM_WANTED) },
    )
  },
  { name: 'redmint-form' },
)

/** Whether parameters are as the strict reader makes them. They are null if a request has no body. */
function hasOnlyStrings(parameters: Readonly<Record<string, unknown>> | null): boolean {
  for (const name in parameters) if (typeof parameters[name] !== 'string') return false
  return parameters !== null
}
