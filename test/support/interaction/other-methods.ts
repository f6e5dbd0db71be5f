// Sign-in methods that only tests have: in two rounds on a page, at another site, and by a proof made on the first page.
import { password } from '../../../src/interaction/password-method.ts'
import type { MethodContext, RoundResult, SignInMethod } from '../../../src/interaction/sign-in-method.ts'
import { html } from '../../../src/pages/html.ts'

/** The right answer to a challenge of `riddle`. */
export const answerTo = (challenge: string) => [...challenge].reverse().join('')

/** Asks to type a text backwards: first the form sends `username`, then `answer`. */
const riddle: SignInMethod = {
  name: 'otp',
  acr_values: ['2'],
  username: ({ answer, challenge }) => (challenge === undefined ? answer.username : nameIn(challenge)),
  async authenticate(context, { answer, challenge }) {
    if (challenge === undefined) {
      return answer.username ? { outcome: 'challenge', challenge: `${answer.username} 123` } : FAILED
    }
    return answer.answer === answerTo(challenge) ? signedIn(context, nameIn(challenge), 'otp', '2') : FAILED
  },
  fields: ({ challenge }) =>
    challenge === undefined ? undefined : html`<p id="challenge">${challenge}</p><input name="answer">`,
}

export const UPSTREAM = 'https://upstream.example.net'

/** Sends the browser to another site, which sends back `user` and the `nonce` that it was given. */
const upstream: SignInMethod = {
  name: 'fed',
  acr_values: ['1'],
  username: () => undefined,
  async authenticate(context, { answer, challenge, return_to }) {
    if (challenge !== undefined) {
      return answer.nonce === challenge ? signedIn(context, answer.user ?? '', 'fed', '1') : FAILED
    }
    const location = (state: string) =>
      `${UPSTREAM}/login?${new URLSearchParams({ return_to, state, nonce: 'n-1' })}`
    return { outcome: 'site', challenge: 'n-1', location }
  },
}

/** What `key` takes for the request of the page. */
export const proofFor = (request: string) => `proof for ${request}`

/** Takes a proof for the request of the first page, which shows who it is: once, and as strong as the client wants it. */
const key: SignInMethod = {
  name: 'key',
  acr_values: ['2', 'phr'],
  username: () => undefined,
  async authenticate(context, { answer, request, acr_values }) {
    if (answer.proof === 'no answer') return { outcome: 'unavailable' }
    if (answer.proof === 'too long') return { outcome: 'challenge', challenge: 'é'.repeat(769) }
    if (answer.proof !== proofFor(request)) return FAILED
    if (!(await context.useOnce(request, 60))) return FAILED
    return signedIn(context, answer.user ?? '', 'hwk', acr_values.includes('phr') ? 'phr' : '2')
  },
  offer: ({ request, language }) =>
    html`<button name="method" value="key" lang="${language}" data-request="${request}">Key</button>`,
  script_source: "'self'",
}

/** Asks for the second word of a user until it is right. */
const word: SignInMethod = {
  name: 'word',
  acr_values: ['1'],
  username: ({ answer, challenge }) => answer.username ?? challenge,
  async authenticate(context, { answer, challenge }) {
    const asked = { challenge: answer.username ?? challenge ?? '' }
    if (challenge === undefined) return { outcome: 'challenge', ...asked }
    return answer.word === 'right' ? signedIn(context, challenge, 'kba', '1') : { ...FAILED, ...asked }
  },
  fields: ({ challenge }) => html`<p id="challenge">${challenge ?? 'none'}</p><input name="word">`,
}

export const OTHER_METHODS = [password, riddle, upstream, key, word] as const
/** Without a page for username and password. */
export const ONLY_WORD = [word] as const

const FAILED = { outcome: 'failed', reason: 'wrong_answer' } as const
const nameIn = (challenge: string) => challenge.split(' ')[0] ?? ''

async function signedIn(
  context: MethodContext,
  username: string,
  amr: string,
  acr: string,
): Promise<RoundResult> {
  const user = await context.findUser(username)
  return user === undefined ? FAILED : { outcome: 'ok', user, amr: [amr], acr }
}
