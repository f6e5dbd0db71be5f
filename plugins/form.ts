import formbody from '@fastify/formbody'
import fp from 'fastify-plugin'
import { bodyNotForm, type OAuthError } from '../src/core/errors.ts'
import { shownMediaType } from '../src/core/media-type.ts'
import { faultIn, type Parameters, parametersFrom, readParameters } from '../src/core/parameters.ts'

// A body of 16 KiB is refused (413).
const BODY_LIMIT = 16 * 1024 - 1
/** The same for a form that may have the longest JWT of this server, a request object with it, or details. */
export const LONG_BODY_LIMIT = 64 * 1024 - 1

/** A schema of parameters, which Parameters of routes/schemas.ts makes. */
interface Schema {
  readonly properties?: object
}

/** Parameters, or what another reader made of them; null if a request has no body. */
type Given = Readonly<Record<string, unknown>> | null

/**
 * Accepts only forms as request bodies (RFC 6749 §3.2), and parses them strictly. An empty body is an empty form,
 * whatever its content type. The schemas of parameters describe them, and say which are known: a fault of a known one is
 * refused here, before anything is looked up. Parameters are checked to be strings and nothing else, which costs less
 * than ajv.
 */
export default fp(
  async (fastify) => {
    fastify.removeAllContentTypeParsers()
    await fastify.register(formbody, { parser: readParameters, bodyLimit: BODY_LIMIT })
    fastify.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, (request, body, done) => {
      if (body === '') done(null)
      else done(bodyNotForm(shownMediaType(request.headers['content-type'])))
    })
    fastify.setValidatorCompiler<Schema>(({ schema: { properties = {} } }) => {
      const names = Object.keys(properties)
      return (given: Given) => {
        const checked = checkStrings(given)
        const error = checked.error ?? faultIn(checked.value, names)
        return error === undefined ? checked : { error }
      }
    })
  },
  { name: 'redmint-form' },
)

/** The validator of a route that reports faults to the client: it leaves them to src/. */
export const leaveFaults = () => checkStrings

/** Returns the parameters if they are as the strict reader makes them, or the error. */
function checkStrings(given: Given): { value: Parameters; error?: never } | { error: OAuthError } {
  if (given === null) return { value: parametersFrom() }
  return hasOnlyStrings(given) ? { value: given } : { error: bodyNotForm(undefined) }
}

function hasOnlyStrings(parameters: NonNullable<Given>): parameters is Parameters {
  for (const name in parameters) if (typeof parameters[name] !== 'string') return false
  return true
}
