import { invalidRequest, type OAuthError } from './errors.ts'
import { invalidTarget } from './grant-errors.ts'
import { piecesOf } from './pieces.ts'

/** Why a parameter cannot be read: makes the error. It matters only where something reads this parameter. */
export type Fault = (name: string) => OAuthError

const FAULTS = Symbol('faults')

/** The parameters of a request by name; those that are absent, empty or cannot be read are undefined. */
export interface Parameters {
  readonly [name: string]: string | undefined
  readonly [FAULTS]?: ReadonlyMap<string, Fault>
}

/** The one parameter that may be repeated (RFC 8707 §2); its values are URIs, which have no spaces. */
const REPEATABLE = 'resource'

const MAX_PARAMETERS = 100

// An object whose prototype is null is a hash table in V8, which takes three times as long to make and to read.
class Named {}
Object.setPrototypeOf(Named.prototype, null)
Reflect.deleteProperty(Named.prototype, 'constructor')

// RFC 6749 Appendix A forbids control characters; U+FFFD replaces bytes that were not UTF-8.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const FORBIDDEN = /[\x00-\x1F\x7F\uFFFD]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const FORBIDDEN_BUT_TABS = /[\x00-\x08\x0A-\x1F\x7F\uFFFD]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const FORBIDDEN_BUT_BREAKS = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F\uFFFD]/

// What users type or paste may have tabs (RFC 6749 §A.15 and §A.16), and JSON line breaks too (RFC 8259 §2).
const FORBIDDEN_IN: ReadonlyMap<string, RegExp> = new Map([
  ['authorization_details', FORBIDDEN_BUT_BREAKS],
  ['claims', FORBIDDEN_BUT_BREAKS],
  ['login_hint', FORBIDDEN_BUT_TABS],
  ['password', FORBIDDEN_BUT_TABS],
  ['user_code', FORBIDDEN_BUT_TABS],
  ['username', FORBIDDEN_BUT_TABS],
])

// Names of parameters are known ones, so a line of the log has them, too.
const named = (parameter: string) => ({ expected: { parameter } })

const repeated: Fault = (name) =>
  invalidRequest('parameter_repeated', `The parameter ${name} is given more than once.`, named(name))
const misencoded: Fault = (name) =>
  invalidRequest(
    'parameter_unreadable',
    `The parameter ${name} is not valid percent-encoded UTF-8.`,
    named(name),
  )
const forbidden: Fault = (name) =>
  invalidRequest(
    'parameter_unreadable',
    `The parameter ${name} holds a control character or is not valid UTF-8.`,
    named(name),
  )
// RFC 8707 §2.
const spaced: Fault = (name) =>
  invalidTarget('resource_malformed', `A value of ${name} has a space: repeat the parameter.`, {
    received: { fault: 'a value with a space' },
    expected: { parameter: name },
  })

/** Returns an object with all entries of `given`. It inherits no names, so that `__proto__` is an ordinary name. */
export function parametersFrom(...given: readonly Parameters[]): Record<string, string> {
  return Object.assign(new Named(), ...given)
}

/** Returns parameters of which those in `faults` cannot be read. */
export function withFaults(parameters: Parameters, faults: ReadonlyMap<string, Fault>): Parameters {
  return faults.size === 0 ? parameters : parametersFrom(parameters, { [FAULTS]: faults })
}

/** Returns the error of the first of these parameters that cannot be read, if there is one. */
export function faultIn(parameters: Parameters, names: readonly string[]): OAuthError | undefined {
  const faults = parameters[FAULTS]
  const name = faults && names.find((candidate) => faults.has(candidate))
  return name === undefined ? undefined : faults?.get(name)?.(name)
}

/** Whether a text can be the value of this parameter: it has no control characters, and is valid Unicode. */
export function isParameterText(name: string, value: string): boolean {
  return !(FORBIDDEN_IN.get(name) ?? FORBIDDEN).test(value) && !/\p{Cs}/u.test(value)
}

/**
 * Reads `application/x-www-form-urlencoded` text: a query string or a form body. An empty value counts as absent (RFC
 * 6749 §3.1). The values of `resource`, the only name that may be repeated, are joined by spaces. A parameter that is
 * repeated (RFC 6749 §3.1), misencoded or has characters that it may not have is a fault. The result inherits no names,
 * as that of parametersFrom.
 * @throws OAuthError `invalid_request` for more than 100 parameters
 */
export function readParameters(encoded: string): Parameters {
  const parameters = parametersFrom()
  if (encoded === '') return parameters
  const pairs = piecesOf(encoded, '&')
  if (pairs.length > MAX_PARAMETERS)
    throw invalidRequest('parameters_too_many', `The request has more than ${MAX_PARAMETERS} parameters.`, {
      received: { parameters: pairs.length },
      expected: { at_most: MAX_PARAMETERS },
    })
  // Most have nothing that is forbidden, and are looked at as a whole.
  const is_clean = !FORBIDDEN.test(encoded)
  const seen: string[] = []
  let faults: Map<string, Fault> | undefined
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const is_plain = !ENCODED.test(pair)
    const encoded_name = equals === -1 ? pair : pair.slice(0, equals)
    const name = is_plain ? encoded_name : percentDecode(encoded_name)
    // Nothing reads a parameter of such a name.
    if (name === undefined) continue
    const given = equals === -1 ? '' : pair.slice(equals + 1)
    const is_repeated = seen.includes(name) && name !== REPEATABLE
    const is_checked = is_clean && is_plain && name !== REPEATABLE
    const value = is_repeated ? repeated : is_checked ? given : decodeValue(name, given)
    seen.push(name)
    if (typeof value !== 'string') {
      faults ??= new Map()
      faults.set(name, value)
    } else if (value !== '') {
      const earlier = name === REPEATABLE ? parameters[name] : undefined
      parameters[name] = earlier === undefined ? value : `${earlier} ${value}`
    }
  }
  if (faults === undefined) return parameters
  for (const name of faults.keys()) delete parameters[name]
  return withFaults(parameters, faults)
}

/** Returns the names and values of parameters as they are sent in a query or a form. */
export function fieldsOf(parameters: Parameters): [name: string, value: string][] {
  return Object.entries(parameters).flatMap(([name, value = '']) =>
    (name === REPEATABLE ? value.split(' ') : [value]).map((one): [string, string] => [name, one]),
  )
}

/** Decodes one form-encoded text, strictly (WHATWG URL §5.1); undefined if it is misencoded or has control characters. */
export function formDecode(encoded: string): string | undefined {
  const text = percentDecode(encoded)
  return text === undefined || FORBIDDEN.test(text) ? undefined : text
}

const ENCODED = /[%+]/

function decodeValue(name: string, encoded: string): string | Fault {
  const value = percentDecode(encoded)
  if (value === undefined) return misencoded
  if (name === REPEATABLE && value.includes(' ')) return spaced
  return (FORBIDDEN_IN.get(name) ?? FORBIDDEN).test(value) ? forbidden : value
}

function percentDecode(encoded: string): string | undefined {
  if (!ENCODED.test(encoded)) return encoded
  try {
    return decodeURIComponent(encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded)
  } catch {
    return undefined
  }
}

/**
 * Returns a required parameter.
 * @throws OAuthError `invalid_request` if it is absent or empty; its fault if it cannot be read
 */
export function required(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) {
    throw (
      faultIn(parameters, [name]) ??
      invalidRequest('parameter_missing', `The parameter ${name} is missing.`, named(name))
    )
  }
  return value
}

/** Returns those of the parameters that have one of these names. */
export function pickParameters(parameters: Parameters, names: readonly string[]): Parameters {
  const picked = parametersFrom()
  for (const name of names) {
    const value = parameters[name]
    if (value !== undefined) picked[name] = value
  }
  return picked
}
