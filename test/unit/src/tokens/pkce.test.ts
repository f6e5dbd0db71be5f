import t from 'tap'
import { isCodeVerifier, isS256Challenge, s256Challenge } from '../../../../src/tokens/pkce.ts'

// RFC 7636 Appendix B.
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

t.test('the example of RFC 7636 Appendix B', async (t) => {
  t.equal(s256Challenge(VERIFIER), CHALLENGE)
  t.ok(isCodeVerifier(VERIFIER))
  t.ok(isS256Challenge(CHALLENGE))
})

t.test('the syntax of a code_verifier (RFC 7636 §4.1)', async (t) => {
  for (const length of [43, 44, 127, 128]) t.ok(isCodeVerifier('a'.repeat(length)), `${length} characters`)
  for (const length of [0, 1, 42, 129, 1000])
    t.notOk(isCodeVerifier('a'.repeat(length)), `${length} characters`)
  for (const character of 'AZaz09-._~') t.ok(isCodeVerifier(character.repeat(43)), character)
  for (const character of '+/=% !*\'()@:,;"\\ä€\u0000\n\u2028') {
    t.notOk(isCodeVerifier('a'.repeat(42) + character), `U+${character.codePointAt(0)?.toString(16)}`)
    t.notOk(isCodeVerifier('a'.repeat(43) + character), 'also at the end')
    t.notOk(isCodeVerifier(character + 'a'.repeat(43)), 'also at the start')
  }
})

t.test('the syntax of an S256 code_challenge: a canonical base64url SHA-256', async (t) => {
  const head = CHALLENGE.slice(0, 42)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  for (const last of alphabet) {
    const bytes = Buffer.from(head + last, 'base64url')
    const canonical = bytes.toString('base64url') === head + last
    t.equal(isS256Challenge(head + last), canonical, `…${last}`)
  }
  for (const length of [0, 42, 44, 86]) t.notOk(isS256Challenge('A'.repeat(length)), `${length} characters`)
  for (const wrong of [
    `${CHALLENGE}=`,
    ` ${CHALLENGE}`,
    `${CHALLENGE}\n`,
    CHALLENGE.replace('-', '+'),
    `${head}.`,
  ]) {
    t.notOk(isS256Challenge(wrong), JSON.stringify(wrong))
  }
  for (let index = 0; index < 50; index++) t.ok(isS256Challenge(s256Challenge(`verifier ${index}`)))
})
