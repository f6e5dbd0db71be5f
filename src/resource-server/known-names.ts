import { isObject } from '../core/json.ts'
import { nearestName } from '../core/nearest.ts'

/** The names that an object may have. */
export type Names<T> = Readonly<Record<keyof T, true>>

/**
 * Checks that a value is an object without other names than these. A rule under a misspelled name would not be applied,
 * and nobody would notice.
 * @param what the value, in the message
 * @throws TypeError
 */
export function refuseUnknownNames(what: string, given: unknown, known: Names<object>): void {
  if (!isObject(given)) throw new TypeError(`An object is needed for ${what}: ${listed(known)}.`)
  for (const name in given) {
    if (Object.hasOwn(known, name)) continue
    const nearest = nearestName(name, Object.keys(known))
    const hint = nearest === undefined ? `it may have ${listed(known)}` : `did you mean ${nearest}?`
    throw new TypeError(`${name} is not known in ${what}: ${hint}`)
  }
}

function listed(known: Names<object>): string {
  return Object.keys(known).join(', ')
}
