import { parseStrictJson } from '../core/strict-json.ts'
import { isJsonList, isJsonObject, type JsonObject, type JsonValue } from './json-value.ts'

/** An object of `authorization_details` (RFC 9396 §2): what a client may do, of a type that an operator defined. */
export interface Detail extends JsonObject {
  readonly type: string
}

const MAX_DETAILS = 10
/** How long details may be, as they are sent and as JSON writes them. */
export const MAX_DETAILS_BYTES = 8192
const TOO_LONG = `has more than ${MAX_DETAILS_BYTES} bytes`
/** How deep lists and objects are nested, the outer list included. */
const MAX_DEPTH = 8

/** What a text of `authorization_details` says, or why it is refused, as text that completes "authorization_details …". */
export type ReadDetails = { readonly details: readonly Detail[] } | { readonly problem: string }

/** Reads the parameter `authorization_details`: a list of JSON objects that have a type (RFC 9396 §2). */
export function readDetails(text: string): ReadDetails {
  if (Buffer.byteLength(text) > MAX_DETAILS_BYTES) return { problem: TOO_LONG }
  const read = parseStrictJson(text, MAX_DEPTH)
  // The problem may have what somebody sent.
  if ('problem' in read)
    return { problem: read.problem.startsWith('has the member') ? 'has a member twice' : read.problem }
  const list = read.value as JsonValue
  if (!isJsonList(list)) return { problem: 'is not a JSON array' }
  if (list.length === 0) return { problem: 'has no object' }
  if (list.length > MAX_DETAILS) return { problem: `has more than ${MAX_DETAILS} objects` }
  if (!list.every(isDetail)) return { problem: 'has an element that is not an object with a type' }
  if (!hasFiniteNumbers(list)) return { problem: 'has a number that is too large' }
  // A number can be longer as JSON writes it: 9e20.
  if (Buffer.byteLength(JSON.stringify(list)) > MAX_DETAILS_BYTES) return { problem: TOO_LONG }
  return { details: list }
}

/** Returns the details of a record, a claim or a token; empty if there are none, or if the text is not one of details. */
export function parseDetails(text: string | undefined): readonly Detail[] {
  if (text === undefined) return []
  const read = readDetails(text)
  return 'details' in read ? read.details : []
}

/** Returns details as records have them; undefined: there are none. */
export function formatDetails(details: readonly Detail[]): string | undefined {
  return details.length === 0 ? undefined : JSON.stringify(details)
}

function isDetail(value: JsonValue): value is Detail {
  return isJsonObject(value) && Object.hasOwn(value, 'type') && typeof value.type === 'string'
}

// JSON.parse makes an infinite number of 1e999, which JSON cannot write.
function hasFiniteNumbers(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(hasFiniteNumbers)
}
