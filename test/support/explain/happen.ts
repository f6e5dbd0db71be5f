// A refusal that a test causes: its reason, that it is found by the id of its answer, and that nothing secret is in it.
import type { Test } from 'tap'
import { REASONS, type Reason, type Step } from '../../../src/core/reasons.ts'
import { isOfThirdParty } from '../../../src/core/third-parties.ts'
import { type Explanation, findExplanation, listExplanations } from '../../../src/explain/explanation.ts'
import { PASSWORD } from '../accounts.ts'
import { SECRET, type Service, VERIFIER } from '../service.ts'
import { until } from '../until.ts'

/** Nothing is before the first step, and the others can refuse at any time. */
const PLACELESS: ReadonlySet<Step> = new Set(['arrival', 'storage', 'server'])

/** The reasons that were seen. */
export const seen = new Set<Reason>()

/** The reasons that were seen without anything that was received or expected. */
export const bare = new Set<Reason>()

/** What no explanation may have: secrets of every test, and those that a test adds. */
export const planted = new Set<string>([SECRET, PASSWORD, VERIFIER])

/** An answer as any of the clients of tests has it. */
interface Answered {
  readonly headers: { readonly [name: string]: unknown } | Headers
}

const isEmpty = (facts: object = {}) => Object.keys(facts).length === 0

const idOf = ({ headers }: Answered): string =>
  String(headers instanceof Headers ? headers.get('x-request-id') : headers['x-request-id'])

/** Returns functions that expect a reason of a service: of an answer, or of one that the browser has left already. */
export function happensAt(t: Test, { fastify, storage }: Pick<Service, 'fastify' | 'storage'>) {
  const context = { ...fastify.redmint, storage }
  const check = (reason: Reason, found: Explanation | undefined) => {
    t.equal(found?.reason, reason, reason)
    const text = JSON.stringify(found)
    for (const secret of planted) t.notOk(text.includes(secret), `${reason}: no secret`)
    if (found === undefined) return
    seen.add(found.reason)
    if (isEmpty(found.received) && isEmpty(found.expected)) bare.add(found.reason)
    if (isOfThirdParty(found.reason)) {
      t.match(found.received, { party: String, step: String, code: String }, `${reason}: whose fault`)
      t.notMatch(found.advice, 'NAME', `${reason}: advice about this one`)
    }
    const has_place = found.endpoint !== 'other' && !PLACELESS.has(REASONS[found.reason])
    if (has_place) t.not(found.passed.length, 0, `${reason} at ${found.endpoint}: what was passed before`)
  }
  const happens = async (reason: Reason, answered: Answered | Promise<Answered>): Promise<void> => {
    const id = idOf(await answered)
    const find = () => findExplanation(context, id, 'en')
    await until(`${reason} is explained`, async () => (await find()) !== undefined)
    check(reason, await find())
  }
  const happened = async (reason: Reason): Promise<void> => {
    const list = () => listExplanations(context, { limit: 50, language: 'en' })
    const find = async () => (await list()).find((one) => one.reason === reason)
    await until(`${reason} is explained`, async () => (await find()) !== undefined)
    check(reason, await find())
  }
  return { happens, happened }
}
