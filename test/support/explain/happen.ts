// A refusal that a test causes: its reason, that it is found by the id of its answer, and that nothing secret is in it.
import type { Test } from 'tap'
import type { PROBLEMS } from '../../../src/admin/operation/problem.ts'
import type { ErrorCode } from '../../../src/core/error-codes.ts'
import { REASONS, type Reason, type RequestStep } from '../../../src/core/reasons.ts'
import { isOfThirdParty } from '../../../src/core/third-parties.ts'
import { type Explanation, findExplanation, listExplanations } from '../../../src/explain/explanation.ts'
import { PASSWORD } from '../accounts.ts'
import { SECRET, type Service, VERIFIER } from '../service.ts'
import { until } from '../until.ts'

/** Nothing is before the first step, and the others can refuse at any time. */
const PLACELESS: ReadonlySet<RequestStep> = new Set(['arrival', 'storage', 'server'])

/** The reasons that were seen. */
export const seen = new Set<Reason>()

/** The reasons that were seen without anything that was received or expected. */
export const bare = new Set<Reason>()

/** What no explanation may have: secrets of every test, and those that a test adds. */
export const planted = new Set<string>([SECRET, PASSWORD, VERIFIER])

/** An answer as any of the clients of tests has it. */
interface Answered {
  readonly headers: { readonly [name: string]: unknown }
  readonly status: number
  readonly json?: Readonly<Record<string, unknown>>
}

/** What a client gets: a status, and an error unless it is a page. */
type Expected = `${number}` | `${number} ${ErrorCode | keyof typeof PROBLEMS}`

const isEmpty = (facts: object = {}) => Object.keys(facts).length === 0

/** What a client gets of an answer, in JSON or in the query of its redirect. */
function answerOf({ status, headers, json = {} }: Answered): string {
  const sent = new URL(String(headers.location ?? 'none:'), 'https://none').searchParams.get('error')
  return [status, json.error ?? json.type?.toString().replace(/.*:/, '') ?? sent].filter(Boolean).join(' ')
}

/**
 * Returns functions that expect a reason of a service: of an answer and what a client gets of it, of the id of a request, or
 * of an answer that the browser has left already.
 */
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
  const explained = async (reason: Reason, id: string): Promise<void> => {
    const find = () => findExplanation(context, id, 'en')
    await until(`${reason} is explained`, async () => (await find()) !== undefined)
    check(reason, await find())
  }
  const happens = async (
    reason: Reason,
    expected: Expected,
    answered: Answered | Promise<Answered>,
  ): Promise<void> => {
    const answer = await answered
    t.equal(answerOf(answer), expected, `${reason}: the answer`)
    await explained(reason, String(answer.headers['x-request-id']))
  }
  const happened = async (reason: Reason): Promise<void> => {
    const list = () => listExplanations(context, { limit: 50, language: 'en' })
    const find = async () => (await list()).find((one) => one.reason === reason)
    await until(`${reason} is explained`, async () => (await find()) !== undefined)
    check(reason, await find())
  }
  return { happens, happened, explained }
}
