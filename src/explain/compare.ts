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

type Fact = Facts[string]

/** What a request had, and what it should have had instead; one of them may be all that is known. */
export interface ComparedFact {
  readonly name: string
  readonly received?: Fact
  readonly expected?: Fact
  /** Whether what is expected is a bound; absent: it is a value, or a choice of values. */
  readonly bound?: 'at_most' | 'at_least'
}

/** Pairs what a request had with what it should have had: that may have another name, such as `redirect_uris`. */
export function comparedFacts(received: Facts = {}, expected: Facts = {}): ComparedFact[] {
  const left = new Map(Object.entries(expected))
  const partnerOf = (name: string): string | undefined =>
    left.has(name)
      ? name
      : [...left.keys()].find((other) => !Object.hasOwn(received, other) && stemOf(other) === stemOf(name))
  const pairs = Object.entries(received).map(([name, value]): ComparedFact => {
    const partner = partnerOf(name)
    const wanted = partner === undefined ? undefined : left.get(partner)
    if (partner === undefined || wanted === undefined) return { name, received: value }
    left.delete(partner)
    return { name, received: value, expected: wanted, ...boundOf(partner) }
  })
  const rest = [...left].map(([name, value]): ComparedFact => ({ name, expected: value, ...boundOf(name) }))
  return [...pairs, ...rest]
}

const BOUND = /_(at_most|at_least)$/

/** What names of the same thing have in common: `scope` of `allowed_scopes`, `characters` of `characters_at_most`. */
const stemOf = (name: string) =>
  name
    .replace(BOUND, '')
    .replace(/^allowed_/, '')
    .replace(/s$/, '')

function boundOf(name: string): Pick<ComparedFact, 'bound'> {
  const [, bound] = BOUND.exec(name) ?? []
  return bound === 'at_most' || bound === 'at_least' ? { bound } : {}
}

/** Returns the texts of a request that differ from what was expected instead. */
export function differencesOf(received: Facts = {}, expected: Facts = {}): NearDifference[] {
  return comparedFacts(received, expected).flatMap(({ name, received: value, expected: wanted, bound }) => {
    if (typeof value !== 'string' || wanted === undefined || bound !== undefined) return []
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
