import formbody from '@fastify/formbody'
import fp from 'fastify-plugin'
import { invalidRequest } from '../src/core/errors.ts'
import { parametersFrom, readParameters } from '../src/core/parameters.ts'
import { FORM_WANTED } from './errors.ts'

// A body of 16 KiB is refused (413).
const BODY_LIMIT = 16 * 1024 - 1

/**
 * Accepts only forms as request bodies (RFC 6749 §3.2), and parses them strictly. An empty body is an empty form,
 * whatever its content type. The schemas of parameters only describe them. Parameters are checked to be strings and
 * nothing else, which costs less than ajv.
 */
export default fp(
  async (fastify) => {
    fastify.removeAllContentTypeParsers()
    await fastify.register(formbody, { parser: readParameters, bodyLimit: BODY_LIMIT })
    fastify.addContentTypeParser(
      '*',
      { parseAs: 'string', bodyLimit: BODY_LIMIT },
      (_request, body, done) => {
        if (body === '') done(null)
        else done(invalidRequest(FORM_WANTED))
      },
    )
    fastify.setValidatorCompiler(() => (given) => {
      if (given === null) return { value: parametersFrom() }
      return hasOnlyStrings(given) || { error: invalidRequest(FORM_WANTED) }
    })
  },
  { name: 'redmint-form' },
)

/** Whether parameters are as the strict reader makes them. */
function hasOnlyStrings(parameters: Readonly<Record<string, unknown>>): boolean {
  for (const name in parameters) if (typeof parameters[name] !== 'string') return false
  return true
}
