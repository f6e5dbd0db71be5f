import { mediaTypeOf, shownMediaType } from '../../core/media-type.ts'
import { parseStrictJson } from '../../core/strict-json.ts'
import { checkInput } from '../operation/check-input.ts'
import type { Operation } from '../operation/operation.ts'
import { AdminError } from '../operation/problem.ts'

const JSON_TYPE = 'application/json'
// RFC 7396 §4.
const MERGE_PATCH = 'application/merge-patch+json'
const MAX_DEPTH = 16

/** Returns the media types of the body of an operation. */
export function mediaTypesOf({ method }: Pick<Operation, 'method'>): readonly string[] {
  return method === 'PATCH' ? [MERGE_PATCH, JSON_TYPE] : [JSON_TYPE]
}

/**
 * Reads the body of a request by the schema of its operation.
 * @throws AdminError `unsupported_media_type`, `invalid_request`, or as checkInput
 */
export function readBody(operation: Operation, content_type: string | undefined, text: string): unknown {
  if (operation.body === undefined) {
    // An empty object says nothing either: many clients send one with every POST.
    if (/^\s*(\{\s*\}\s*)?$/.test(text)) return undefined
    throw new AdminError('invalid_request', 'This path and method take no body.')
  }
  const wanted = mediaTypesOf(operation)
  if (!wanted.includes(mediaTypeOf(content_type)))
    throw new AdminError('unsupported_media_type', `Send the body as ${wanted.join(' or ')}.`, [], {
      received: { content_type: shownMediaType(content_type) },
      expected: { content_type: wanted },
    })
  const parsed = parseStrictJson(text, MAX_DEPTH)
  if ('problem' in parsed) throw new AdminError('invalid_request', `The JSON ${parsed.problem}.`)
  checkInput(operation.body, parsed.value, { is_patch: operation.method === 'PATCH' })
  return parsed.value
}
