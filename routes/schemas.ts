import { type TObject, type TProperties, Type } from '@sinclair/typebox'

/** The body of every error (RFC 6749 §5.2). */
export const ErrorBody = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { description: 'What went wrong (RFC 6749 §5.2); docs/errors.md explains each code.' },
)

/**
 * Parameters of a form or query string. Which must be there is for src/ to say; unknown ones are ignored
 * (RFC 6749 §3.1), and one that is repeated is no string and refused.
 */
export function Parameters<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: Type.String() })
}

/** An optional parameter with its description. */
export const Parameter = (description: string) => Type.Optional(Type.String({ description }))
