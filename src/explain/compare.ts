import { nearestName } from '../core/nearest.ts'
import type { Facts } from '../core/reasons.ts'

/** A value that a request had, beside the one that it most likely should have had. */
export interface NearDifference {
  readonly name: string
  readonly received: string
  readonly expected: string
  /** How many characters are the same before the first one that differs. */
  readonly at: number
}

/** Returns the texts of a request that differ from what was expected under the same name, or under its plural. */
export function differencesOf(received: Facts = {}, expected: Facts = {}): NearDifference[] {
  return Object.entries(received).flatMap(([name, value]) => {
    const wanted = expected[name] ?? expected[`${name}s`]
    if (typeof value !== 'string' || wanted === undefined) return []
    const choices = [wanted].flat().filter((one) => typeof one === 'string')
    const nearest = nearestName(value, choices) ?? (choices.length === 1 ? choices[0] : undefined)
    return nearest === undefined || nearest === value
      ? []
      : [{ name, received: value, expected: nearest, at: firstDifference(value, nearest) }]
  })
}

function firstDifference(one: string, other: string): number {
  const [first, second] = [[...one], [...other]]
  const at = first.findIndex((character, place) => character !== second[place])
  return at === -1 ? first.length : at
}
