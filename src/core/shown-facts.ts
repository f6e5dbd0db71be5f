import type { Facts } from './reasons.ts'

/** How much of a value is shown. */
const MAX_LENGTH = 200
const MAX_VALUES = 20
/** How much of a value is looked at: expressions cost more than a long value is worth. */
const LOOKED_AT = 2 * MAX_LENGTH
const HIDDEN = '…'

// What a terminal or a page would interpret, or what nobody sees: controls, bidi marks, lone surrogates.
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|\p{Bidi_Control}/gu
// A code or token of this server, or a JWT: somebody put it into the wrong place.
const TOKEN = /[\w-]{16}\.[\w-]{43}|eyJ[\w-]+\.[\w-]+(\.[\w-]*)*/g
// The user part of an address, and the values of its query and fragment.
const CREDENTIALS = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#@]*@/i
const QUERY_VALUE = /([?&#][^=&#]*=)([^&#]*)/g

/**
 * Returns facts of a refusal as logs and explanations show them: without what may be a secret in the wrong place, cut,
 * and with what is invisible written out.
 * @param known what the other side has: values in the query of an address are shown only if they are there, too
 */
export function shownFacts(facts: Facts | undefined, known: Facts = {}): Facts | undefined {
  if (facts === undefined) return undefined
  const others = Object.values(known).flat().map(String)
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      if (typeof value === 'string') return [name, shownValue(value, others)]
      if (typeof value !== 'object') return [name, value]
      const shown = value.slice(0, MAX_VALUES).map((one) => shownValue(one, others))
      return [name, value.length > MAX_VALUES ? [...shown, HIDDEN] : shown]
    }),
  )
}

/**
 * Returns what was received as a line of the log has it: numbers, and what the other side has, too. Any other text is left
 * out: people type passwords into the wrong field.
 */
export function loggedFacts(facts: Facts | undefined, known: Facts = {}): Facts | undefined {
  if (facts === undefined) return undefined
  const others = Object.values(known).flat()
  const isLogged = (value: unknown) => typeof value !== 'string' || others.includes(value)
  const logged = Object.entries(facts).filter(([, value]) => [value].flat().every(isLogged))
  return shownFacts(Object.fromEntries(logged), known)
}

/** Returns a text that somebody sent, as shownFacts shows it. */
export function shownValue(value: string, known: readonly string[] = []): string {
  if (known.includes(value)) return cut(visible(value))
  const plain = beginningOf(value)
    .replace(TOKEN, HIDDEN)
    .replace(CREDENTIALS, `$1${HIDDEN}@`)
    .replace(QUERY_VALUE, (pair, name: string) =>
      known.some((other) => other.includes(pair)) ? pair : name + HIDDEN,
    )
  return cut(visible(plain))
}

// A token that is cut off would not be known as one.
function beginningOf(value: string): string {
  if (value.length <= LOOKED_AT) return value
  const begun = value.slice(0, LOOKED_AT)
  return begun.slice(0, begun.search(/[\w.-]*$/)) + HIDDEN
}

const visible = (text: string) =>
  text
    .toWellFormed()
    .replace(INVISIBLE, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`)

const cut = (text: string) =>
  text.length <= MAX_LENGTH ? text : text.slice(0, MAX_LENGTH).toWellFormed() + HIDDEN
