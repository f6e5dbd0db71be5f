import { randomInt } from 'node:crypto'
import { codeForm } from '../core/visible-text.ts'

/**
 * Twenty letters (RFC 8628 §6.1): no vowels, so that no code is a word, and no digits, so that none is mistaken for a
 * letter. Eight of them have 34.5 bits.
 */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const LENGTH = 8

const USER_CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`)
const MAX_TYPED = 64

/** Returns a new user code, without the dash. */
export function newUserCode(): string {
  return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}

/** Reads a typed user code: in any case and width, with or without dashes and spaces. Undefined if the text is not one. */
export function readUserCode(typed: string): string | undefined {
  const code = codeForm(typed.slice(0, MAX_TYPED))
  return USER_CODE.test(code) ? code : undefined
}

/** The user code as a device shows it: `WDJB-MJHT`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}
