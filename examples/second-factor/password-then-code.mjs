// A sign-in method in two rounds: a password, and then the code of an authenticator app.
import { createHash } from 'node:crypto'
import { html } from 'redmint'
import { stepOf } from './totp.mjs'

// A code is accepted for three steps of 30 seconds.
const CODE_SECONDS = 90

/**
 * The method for users of whom `keyOf` knows a key: (username) => bytes, or undefined. All others sign in by password
 * alone, which the client can see in `acr`, and refuse.
 */
export const passwordThenCode = (keyOf) => ({
  name: 'password-then-code',
  acr_values: ['1', '2'],

  username: ({ answer, challenge }) =>
    challenge === undefined ? (answer.username ?? '') : read(challenge).username,

  async authenticate(context, round) {
    const { answer, challenge } = round
    if (challenge === undefined) {
      const result = await context.checkPassword(round)
      if (result.outcome !== 'ok') return result
      const { user } = result
      if (keyOf(user.username) === undefined) return { outcome: 'ok', user, amr: ['pwd'], acr: '1' }
      return { outcome: 'challenge', challenge: `${passwordOf(user)} ${user.username}` }
    }
    const { username, password } = read(challenge)
    const user = await context.findUser(username)
    const key = keyOf(username)
    const is_same = user !== undefined && passwordOf(user) === password
    // The password was changed meanwhile, or the second factor was removed: both are asked for again.
    if (!is_same || key === undefined) return { outcome: 'failed', reason: 'wrong_answer' }
    const step = stepOf(key, answer.code ?? '', context.now())
    const wrong = { outcome: 'failed', reason: 'wrong_answer', user, challenge }
    if (step === undefined) return wrong
    // RFC 6238 §5.2: a code counts once, at all replicas.
    if (!(await context.useOnce(`${user.sub} ${step}`, CODE_SECONDS))) return wrong
    return { outcome: 'ok', user, amr: ['pwd', 'otp', 'mfa'], acr: '2' }
  },

  fields: ({ challenge }) =>
    challenge === undefined
      ? undefined
      : html`<label for="code">Code of your authenticator app</label>
<input id="code" name="code" inputmode="numeric" pattern="[0-9]{6}" maxlength="6" autocomplete="one-time-code" required autofocus>
<button class="main">Continue</button>`,
})

/** A digest of the password that was right: the code is asked for as long as it stays the same. */
const passwordOf = ({ sub, password_hash }) =>
  createHash('sha256').update(`${sub} ${password_hash}`).digest('base64url')

// A username has no spaces.
const read = (challenge) => {
  const [password, username] = challenge.split(' ')
  return { password, username }
}
