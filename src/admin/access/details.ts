import { type Static, Type } from '@sinclair/typebox'
import { type Detail, parseDetails } from '../../details/read-details.ts'

/** What a person allowed in detail, as operators see it: the objects as they were asked for. */
export const ShownDetails = Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true }), {
  description: 'what is allowed in detail (RFC 9396); absent: nothing',
})
export type ShownDetails = Static<typeof ShownDetails>

/** Returns the member of an answer with details; none if there are none. */
export function shownDetails(details: readonly Detail[]): { authorization_details?: ShownDetails } {
  return details.length === 0 ? {} : { authorization_details: details.map((one) => ({ ...one })) }
}

/** The same of the field of a record. */
export const storedDetails = (field: string | undefined) => shownDetails(parseDetails(field))
