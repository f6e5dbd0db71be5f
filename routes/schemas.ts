import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import * as body from '../src/core/error-body.ts'

/**
 * A reference to a named answer, with its type. plugins/answers.ts has the list of names.
 */
export function ref<T extends TSchema>({ $id }: T) {
  return Type.Unsafe<Static<T>>({ $ref: `${$id}#` })
}

export const ErrorBody = ref(body.ErrorBody)

/** How an endpoint that clients post to may refuse a request. */
export const REFUSALS = { 400: ErrorBody, 401: ErrorBody, 413: ErrorBody, 429: ErrorBody, 503: ErrorBody }

/** An answer that is a page. */
export const Page = (description: string) =>
  ({ description, content: { 'text/html': { schema: { type: 'string' } } } }) as const

/** An answer that is JSON of a media type of its own. */
export const JsonAs = (media_type: string, answer: TSchema) =>
  ({ description: String(answer.description), content: { [media_type]: { schema: ref(answer) } } }) as const

/** An answer that is JSON, or a JWT for a client that registered or asked for one. */
export const JsonOrJwt = (answer: TSchema, media_type: string) =>
  ({
    description: String(answer.description),
    content: { 'application/json': { schema: ref(answer) }, [media_type]: { schema: { type: 'string' } } },
  }) as const

/** An error of a route for browsers: a page, or JSON if the request prefers it. */
export const ErrorPage = (description: string) =>
  ({
    description,
    content: { 'text/html': { schema: { type: 'string' } }, 'application/json': { schema: ErrorBody } },
  }) as const

/** What every route for browsers may answer. */
export const UNAVAILABLE = ErrorPage(
  'The service cannot answer now: its storage is away, or it has too much to do',
)

/**
 * The known parameters of a form or query string. src/ checks which are required; others are ignored, whatever they hold
 * (RFC 6749 §3.1). So every parameter that is read must be here.
 */
export function Parameters<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: Type.String() })
}

/** An optional parameter with its description. */
export const Parameter = (description: string) => Type.Optional(Type.String({ description }))

/** The parameters by which a client says who it is, and proves it (RFC 6749 §2.3.1, RFC 7523 §2.2). */
export const CLIENT_PARAMETERS = {
  client_id: Parameter('The client, without HTTP Basic'),
  client_secret: Parameter('The secret of a confidential client, without HTTP Basic'),
  client_assertion_type: Parameter('urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
  client_assertion: Parameter(
    'A JWT that the client signed (private_key_jwt), or of a trusted issuer about it; without any secret',
  ),
}
