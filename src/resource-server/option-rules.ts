import { isObject } from '../core/json.ts'
import { refuseUnknownNames } from './known-names.ts'

/** What the value of an option must be. */
interface ValueRule {
  /** The end of a message: "a string". */
  readonly is: string
  readonly accepts: (value: unknown) => boolean
  /** Whether the option may not be left out. */
  readonly required?: true
}

/** The rules of all options that an object may have. */
export type OptionRules<T> = Readonly<Record<keyof T, ValueRule>>

const isText = (value: unknown): value is string => typeof value === 'string'
const isList = (value: unknown) => Array.isArray(value) && value.every(isText)

export const TEXT: ValueRule = { is: 'a string', accepts: isText }
export const REQUIRED_TEXT: ValueRule = {
  is: 'a string that is not empty',
  accepts: (value) => isText(value) && value !== '',
  required: true,
}
export const LIST: ValueRule = { is: 'an array of strings', accepts: isList }
export const TEXT_OR_LIST: ValueRule = {
  is: 'a string or an array of strings',
  accepts: (value) => isText(value) || isList(value),
}
export const FLAG: ValueRule = { is: 'true or false', accepts: (value) => typeof value === 'boolean' }
export const SECONDS: ValueRule = {
  is: 'a number of seconds, 0 or more',
  accepts: (value) => Number.isFinite(value) && Number(value) >= 0,
}
export const FUNCTION: ValueRule = { is: 'a function', accepts: (value) => typeof value === 'function' }
export const OBJECT: ValueRule = { is: 'an object', accepts: isObject }

/** Returns the rule of an option that has one of these values. */
export const oneOf = (values: readonly string[]): ValueRule => ({
  is: values.map((value) => `'${value}'`).join(' or '),
  accepts: (value) => isText(value) && values.includes(value),
})

/**
 * Checks options by their names and the types of their values, which TypeScript checks only for those who use it. An
 * option that is undefined counts as absent.
 * @param what the options, in the message of an unknown name
 * @param prefix what goes in front of a name in a message: "dpop."
 * @throws TypeError that says what to set
 */
export function checkOptions(
  what: string,
  given: unknown,
  rules: Readonly<Record<string, ValueRule>>,
  prefix = '',
): void {
  refuseUnknownNames(what, given, rules)
  const values = given as Readonly<Record<string, unknown>>
  for (const [name, { is, accepts, required }] of Object.entries(rules)) {
    const value = values[name]
    if (value === undefined ? required : !accepts(value))
      throw new TypeError(`${prefix}${name} must be ${is}.`)
  }
}
