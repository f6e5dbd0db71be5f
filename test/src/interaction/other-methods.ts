// Sign-in methods that only tests have: one in two rounds on a page, and one at another site.
import { readAccount } from '../../../src/accounts/read-account.ts'
import { password } from '../../../src/interaction/password-method.ts'
import type { MethodContext, RoundResult, SignInMethod } from '../../../src/interaction/sign-in-method.ts'
import { html } from '../../../src/pages/html.ts'

/** The right answer to a challenge of `riddle`. */
export const answerTo = (challenge: string) => [...challenge].reverse().join('')

/** Asks to type a text backwards: first the form sends `username`, then `answer`. */
const riddle: SignInMethod = {
  amr: 'otp',
  acr: '2',
  username: ({ answer, challenge }) => (challenge === undefined ? answer.username : nameIn(challenge)),
  async authenticate(context, { answer, challenge }) {
    if (challenge === undefined) {
      return answer.username ? { outcome: 'challenge', challenge: `${answer.username} 123` } : FAILED
    }
    return answer.answer === answerTo(challenge) ? signedIn(context, nameIn(challenge)) : FAILED
  },
  challengeFields: (challenge) => html`<p id="challenge">${challenge}</p><input name="answer">`,
}

export const UPSTREAM = 'https://upstream.example.net'

/** Sends the browser to another site, which sends back `user` and the `nonce` that it was given. */
const upstream: SignInMethod = {
  amr: 'fed',
  acr: '1',
  username: () => undefined,
  async authenticate(context, { answer, challenge, return_to }) {
    if (challenge !== undefined) {
      return answer.nonce === challenge ? signedIn(context, answer.user ?? '') : FAILED
    }
    const location = (state: string) =>
      `${UPSTREAM}/login?${new URLSearchParams({ return_to, state, nonce: 'n-1' })}`
    return { outcome: 'site', challenge: 'n-1', location }
  },
}

export const OTHER_METHODS = [password, riddle, upstream] as const

const FAILED: RoundResult = { outcome: 'failed', reason: 'wrong_answer' }
const nameIn = (challenge: string) => challenge.split(' ')[0] ?? ''

async function signedIn(context: MethodContext, username: string): Promise<RoundResult> {
  const user = await readAccount(context, username)
  return user === undefined ? FAILED : { outcome: 'ok', user }
}
