// Codes as keyboards of any script make them.
import t from 'tap'
import { codeForm } from '../../../../src/core/visible-text.ts'
import { readUserCode } from '../../../../src/device/user-code.ts'
import { makeRecoveryCodes, readRecoveryCode } from '../../../../src/factors/recovery-codes.ts'
import { stepOf } from '../../../../src/factors/totp-code.ts'
import { appCode } from '../../../support/authenticator.ts'

/** The zeros of scripts: Arabic, Persian, Devanagari, Bengali, Thai, full width, mathematical, Adlam. */
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10, 0x1d7ce, 0x1e950]
const inScript = (code: string, zero: number) =>
  code.replace(/[0-9]/g, (digit) => String.fromCodePoint(zero + Number(digit)))
/** What comes with a code that is pasted: direction marks, isolates, a byte order mark, spaces and dashes. */
const AROUND = ['\u200f', '\u061c', '\u2066', '\u2069', '\ufeff', '\u00a0', ' ', '-', '\u200b']

t.test('digits of every script are the digits that they mean', async (t) => {
  for (const zero of ZEROS) t.equal(codeForm(inScript('0123456789', zero)), '0123456789', zero.toString(16))
})

t.test('the code of an app, a recovery code and a user code are read in any of them', async (t) => {
  const secret = Buffer.alloc(20, 7)
  const now = 1_800_000_000_000
  const { Secret } = await import('otpauth')
  const code = appCode(new Secret({ buffer: new Uint8Array(secret).buffer }).base32, now)
  const step = stepOf(secret, code, now)
  t.ok(step)
  const [recovery = ''] = makeRecoveryCodes()
  for (const zero of ZEROS) {
    t.equal(stepOf(secret, inScript(code, zero), now), step, zero.toString(16))
    t.equal(readRecoveryCode(inScript(recovery, zero)), readRecoveryCode(recovery))
  }
  for (const around of AROUND) {
    const within = (text: string) => `${around}${text.slice(0, 3)}${around}${text.slice(3)}${around}`
    t.equal(stepOf(secret, within(code), now), step, JSON.stringify(around))
    t.equal(readRecoveryCode(within(recovery)), readRecoveryCode(recovery), JSON.stringify(around))
    t.equal(readUserCode(within('WDJBMJHT')), 'WDJBMJHT', JSON.stringify(around))
  }
  for (const odd of ['12345', '1234567', 'abcdef', '\u2460\u2461\u2462\u2463\u2464x'])
    t.equal(stepOf(secret, odd, now), undefined, odd)
})
