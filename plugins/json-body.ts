import type { FastifyInstance } from 'fastify'
import { parseJson } from '../src/core/json.ts'
import { shownMediaType } from '../src/core/media-type.ts'

/** What was sent, and what is expected instead. */
export interface MediaTypeFacts {
  readonly received: { readonly content_type: string }
  readonly expected: { readonly content_type: string }
}

/**
 * Reads the bodies of the routes of a scope as JSON, for src/ to check. No body is null, whatever its content type.
 * @param bodyLimit in bytes
 * @param refused the error of another content type
 */
export function readJson(
  fastify: FastifyInstance,
  bodyLimit: number,
  refused: (facts: MediaTypeFacts) => Error,
): void {
  fastify.removeAllContentTypeParsers()
  const reading = { parseAs: 'string', bodyLimit } as const
  fastify.addContentTypeParser('application/json', reading, (_request, text, done) => {
    done(null, parseJson(String(text)))
  })
  fastify.addContentTypeParser('*', reading, (request, text, done) => {
    if (String(text) === '') return void done(null)
    const content_type = shownMediaType(request.headers['content-type'])
    done(refused({ received: { content_type }, expected: { content_type: 'application/json' } }))
  })
  // src/ says what is wrong, in the words of each specification.
  fastify.setValidatorCompiler(() => () => true)
}
