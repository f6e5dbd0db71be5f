import { type Check, found, PASSED } from '../report/report.ts'
import { type Api, isTaken } from './api.ts'
import { refuses } from './kinds.ts'

const GUARD = {
  resource_server: 'Guard the route with resourceGuard, or call check() of createResourceServer() first.',
  spring: 'authorizeHttpRequests(requests -> requests.anyRequest().authenticated()).',
} as const

/** Checks of how a token comes, and of what is no token. */
export const REQUEST_CHECKS: readonly Check<Api>[] = [
  {
    id: 'no-token',
    title: 'Answers 401 and a Bearer challenge without a token',
    level: 'refuse',
    about: 'A request without a token has no caller, and the challenge says what is missing (RFC 6750 §3).',
    fix: 'Answer 401 with WWW-Authenticate: Bearer before anything else.',
    fixes: GUARD,
    run: async (api) => {
      const answer = await api.ask(undefined)
      if (isTaken(answer)) return found(`The API answers ${answer.status} without a token.`)
      if (answer.status !== 401) return found(`The API answers ${answer.status} without a token.`, 'survive')
      return /\bbearer\b/i.test(answer.challenge)
        ? PASSED
        : found('The answer has no WWW-Authenticate: Bearer.', 'survive')
    },
  },
  refuses(
    {
      id: 'no-jwt',
      title: 'Refuses what is no token',
      level: 'refuse',
      about: 'Nobody issued it: that some header is there says nothing.',
      fix: 'Verify the token instead of looking whether there is one.',
      fixes: GUARD,
    },
    () => ({ authorization: 'Bearer' }),
    () => ({ authorization: 'Bearer ' }),
    () => 'undefined',
    () => 'a-token-that-nobody-issued',
  ),
  refuses(
    {
      id: 'malformed',
      title: 'Refuses malformed JWTs',
      level: 'refuse',
      about: 'A guard that parses before it checks throws, and answers 500 to anybody (RFC 7519 §7.2).',
      fix: 'Catch what parsing throws, and answer 401.',
    },
    (api) => api.token().split('.').slice(0, 2).join('.'),
    (api) => `${api.token()}.e30`,
    (api) => api.token().replace(/^[^.]*/, '%%%'),
    (api) => api.token().replace(/^[^.]*/, 'bm90IGpzb24'),
    (api) => api.token().replace(/\.[^.]*\./, '.W10.'),
    (api) => api.token().replace(/\.[^.]*\./, '.bnVsbA.'),
  ),
  refuses(
    {
      id: 'scheme-basic',
      title: 'Refuses a token in another scheme',
      level: 'refuse',
      about: 'What follows another scheme is something else (RFC 9110 §11.1).',
      fix: 'Take the scheme Bearer only, in any case.',
    },
    (api) => ({ authorization: `Basic ${api.token()}` }),
    (api) => ({ authorization: api.token() }),
  ),
  refuses(
    {
      id: 'scheme-dpop',
      title: 'Refuses a token in the scheme DPoP without a proof',
      level: 'refuse',
      about: 'The scheme promises a proof of a key (RFC 9449 §7.1).',
      fix: 'Refuse the scheme DPoP, or demand the proof.',
    },
    (api) => ({ authorization: `DPoP ${api.token()}` }),
  ),
  refuses(
    {
      id: 'token-in-query',
      title: 'Refuses a token in the address',
      level: 'refuse',
      about: 'Addresses are in logs, histories and Referer (RFC 9700 §4.3.2).',
      fix: 'Read the token from Authorization only.',
      fixes: { spring: 'Leave allowUriQueryParameter of DefaultBearerTokenResolver false.' },
    },
    (api) => ({ query: { access_token: api.token() } }),
  ),
  refuses(
    {
      id: 'two-tokens',
      title: 'Refuses two tokens',
      level: 'advice',
      about: 'Two layers may read different ones (RFC 6750 §2: one method, one token).',
      fix: 'Take an Authorization of one scheme and one token.',
    },
    (api) => ({ authorization: `Bearer ${api.token()} ${api.token()}` }),
    (api) => ({ authorization: `Bearer ${api.token()}, Bearer ${api.token()}` }),
  ),
]
