import { type Check, type CheckTexts, found, type Outcome, PASSED, skipped } from '../report/report.ts'
import { type Api, type ApiAnswer, isTaken } from './api.ts'

/** What a request presents: a token, or a whole value of `Authorization`. */
export type Presented =
  | string
  | { readonly authorization?: string; readonly query?: Readonly<Record<string, string>> }

type Make = (api: Api) => Presented

const ask = (api: Api, presented: Presented): Promise<ApiAnswer> =>
  typeof presented === 'string'
    ? api.ask(`Bearer ${presented}`)
    : api.ask(presented.authorization, presented.query)

const NO_TOKENS = 'The API answers nobody with 401'

/** Returns what is wrong with the answer to a token that is not to be taken (RFC 6750 §3, §3.1). */
function judged({ status, challenge }: ApiAnswer): Outcome {
  if (status >= 500)
    return found(`The API answers ${status}: its guard fails instead of refusing.`, 'survive')
  if (status === 400) return PASSED
  if (status !== 401)
    return found(`The API answers ${status} where 401 tells a client that it needs another token.`, 'advice')
  return /\b(bearer|dpop)\b/i.test(challenge)
    ? PASSED
    : found(`${NO_TOKENS} and a challenge: WWW-Authenticate is ${challenge || 'absent'}.`, 'advice')
}

/** A check that an API takes none of these. */
export function refuses(texts: CheckTexts, ...makes: readonly Make[]): Check<Api> {
  const run = async (api: Api): Promise<Outcome> => {
    let worst = PASSED
    for (const make of makes) {
      const answer = await ask(api, make(api))
      if (isTaken(answer)) return found(`The API answers ${answer.status}.`)
      const outcome = judged(answer)
      if (worst.is === 'passed') worst = outcome
    }
    return worst
  }
  return { ...texts, run }
}

/** A check that an API takes each of these. */
export function takes(texts: CheckTexts, ...makes: readonly Make[]): Check<Api> {
  const run = async (api: Api): Promise<Outcome> => {
    for (const make of makes) {
      const answer = await ask(api, make(api))
      if (!isTaken(answer)) return found(`The API answers ${answer.status}.`)
    }
    return PASSED
  }
  return { ...texts, run }
}

/** A check that an API answers 403 to each of these (RFC 6750 §3.1), if it needs a scope. */
export function forbids(texts: CheckTexts, ...makes: readonly Make[]): Check<Api> {
  const run = async (api: Api): Promise<Outcome> => {
    if (api.options.scope === '') return skipped('No scope was given: --scope.')
    for (const make of makes) {
      const answer = await ask(api, make(api))
      if (isTaken(answer)) return found(`The API answers ${answer.status}.`)
      if (answer.status >= 500) return judged(answer)
      if (answer.status !== 403)
        return found(
          `The API answers ${answer.status} where 403 tells a client that another token would not help.`,
          'advice',
        )
    }
    return PASSED
  }
  return { ...texts, run }
}
