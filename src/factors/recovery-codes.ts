import { hash, randomInt } from 'node:crypto'
import { codeForm } from '../core/visible-text.ts'

/** 32 symbols without those that look like another one: no I, L, O and U. */
const SYMBOLS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 120 bits, so that one hash is enough (OWASP ASVS 5.0 §6.5.2). */
const LENGTH = 24
const GROUP = 6
const MAX_TYPED = 256
const COUNT = 10

const CODE = new RegExp(`^[${SYMBOLS}]{${LENGTH}}$`)
const LOOK_ALIKES: Readonly<Record<string, string>> = { I: '1', L: '1', O: '0', U: 'V' }

/** Returns ten new codes as people read them: four groups of six symbols with dashes between them. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => {
    const symbols = Array.from({ length: LENGTH }, () => SYMBOLS.charAt(randomInt(SYMBOLS.length))).join('')
    return (symbols.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-')
  })
}

/**
 * Returns what somebody typed as a recovery code, in the form of which the digest is made: in any case, width and script,
 * with or without spaces and dashes, and with look-alikes for symbols. Undefined if it is none.
 */
export function readRecoveryCode(typed: string): string | undefined {
  const symbols = codeForm(typed.slice(0, MAX_TYPED)).replace(
    /[ILOU]/g,
    (symbol) => LOOK_ALIKES[symbol] ?? symbol,
  )
  return CODE.test(symbols) ? symbols : undefined
}

/** The form in which a code of an account is stored. */
export function recoveryDigest(username: string, code: string): string {
  return hash('sha256', JSON.stringify(['recovery', username, readRecoveryCode(code)]), 'base64url')
}
