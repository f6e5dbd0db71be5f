import {
  canonicalText,
  isJsonList,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberOf,
} from './json-value.ts'
import type { Detail } from './read-details.ts'
import type { ObjectSchema, Schema } from './schema.ts'

/** The lists of which an object may have fewer than was granted (RFC 9396 §2.2). */
const LISTS = ['actions', 'locations', 'datatypes', 'privileges']

/** Returns the schema of a type; undefined: the type is unknown, so that only equal objects are within one another. */
export type SchemaOf = (type: string) => ObjectSchema | undefined

/**
 * Whether all objects are within those that were granted: each within one of its own, so that one that was granted once does
 * not count twice.
 */
export function areWithin(asked: readonly Detail[], granted: readonly Detail[], schemaOf: SchemaOf): boolean {
  // A matching of both lists, by augmenting paths: at most ten objects each.
  const taken = new Map<number, number>()
  const place = (one: number, seen: Set<number>): boolean =>
    granted.some((candidate, index) => {
      const detail = asked[one]
      if (detail === undefined || seen.has(index) || !isWithin(detail, candidate, schemaOf)) return false
      seen.add(index)
      const former = taken.get(index)
      if (former !== undefined && !place(former, seen)) return false
      taken.set(index, one)
      return true
    })
  return asked.every((_, one) => place(one, new Set()))
}

/**
 * Whether an object is within another one: the same, but for fewer elements of `actions`, `locations`, `datatypes` and
 * `privileges`, and for lower numbers where the schema says `"narrow": "less"`.
 */
function isWithin(asked: Detail, granted: Detail, schemaOf: SchemaOf): boolean {
  if (asked.type !== granted.type) return false
  const schema = schemaOf(granted.type)
  return (
    haveSameNames(asked, granted) &&
    Object.keys(granted).every((name) => {
      const [one, other] = [memberOf(asked, name), memberOf(granted, name)]
      if (one === undefined || other === undefined) return false
      return LISTS.includes(name) && isFewer(one, other)
        ? true
        : isNoMore(one, other, schema?.properties.get(name))
    })
  )
}

function haveSameNames(one: JsonObject, other: JsonObject): boolean {
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name))
}

// An empty list could mean all of them to an API.
function isFewer(asked: JsonValue, granted: JsonValue): boolean {
  if (!isJsonList(asked) || !isJsonList(granted) || asked.length === 0) return false
  const known = granted.map(canonicalText)
  return asked.every((element) => known.includes(canonicalText(element)))
}

function isNoMore(asked: JsonValue, granted: JsonValue, schema: Schema | undefined): boolean {
  if (schema?.type === 'number' || schema?.type === 'integer') {
    const is_less = typeof asked === 'number' && typeof granted === 'number' && asked < granted
    if (schema.narrow === 'less' && is_less) return true
  }
  if (schema?.type === 'object' && isJsonObject(asked) && isJsonObject(granted))
    return (
      haveSameNames(asked, granted) &&
      Object.entries(granted).every(([name, member]) =>
        isNoMore(asked[name] ?? null, member, schema.properties.get(name)),
      )
    )
  return canonicalText(asked) === canonicalText(granted)
}
