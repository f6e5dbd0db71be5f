import type { Context } from '../context.ts'
import type { Parameters } from '../core/parameters.ts'
import { newGrantId } from '../core/token-string.ts'
import { putBy } from '../interaction/pending-request.ts'
import type { Browser } from '../sessions/browser.ts'
import { findSession } from '../sessions/session.ts'
import { write } from '../storage/records.ts'
import { CODE } from '../tokens/code-record.ts'
import { issueCode } from './issue-code.ts'
import { type ClientResponse, codeResponse, errorResponse } from './response.ts'
import { standingOf } from './standing.ts'

/**
 * Where an authorization request leads the browser: back to the client, to the pages where the person goes on, or to
 * the same request once more, by GET.
 */
export type Answer =
  | { to: 'client'; response: ClientResponse }
  | { to: 'person'; transaction: string; browser_id: string }
  | { to: 'again' }

/**
 * Answers an authorization request (RFC 6749 §4.1.1).
 * @param browser who sends it; absent where that cannot be known: cookies do not come along with a POST of another site
 * @throws OAuthError that must be shown to the person and never redirected; StorageUnavailable
 */
export async function authorize(
  context: Context,
  parameters: Parameters,
  browser: Browser | undefined,
): Promise<Answer> {
  const { settings, storage } = context
  let isBlind = false
  const { target, next } = await standingOf(context, parameters, async () => {
    isBlind = browser === undefined
    return browser && findSession(context, browser)
  })
  if (isBlind) return { to: 'again' }
  const answer = (response: ClientResponse): Answer => ({ to: 'client', response })
  switch (next.step) {
    case 'error':
      return answer(errorResponse(target, settings.issuer, next.error))
    case 'issue': {
      const code = await issueCode(context, next.ready, newGrantId(), async (code, record) => {
        await storage.records.put(write(CODE, code, record, settings.code_ttl))
        return 'ok'
      })
      if (code !== undefined) return answer(codeResponse(target, settings.issuer, code))
      // The session ended at this very moment: it is not found any more.
      return authorize(context, parameters, browser)
    }
    default: {
      const { client_id } = target.client
      const request = { kind: 'authorization', parameters: JSON.stringify(parameters), client_id } as const
      return { to: 'person', ...(await putBy(context, request, browser)) }
    }
  }
}
