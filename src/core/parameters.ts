import { invalidRequest } from './errors.ts'

/** The parameters of a request by name; absent and empty ones are undefined. */
export type Parameters = Readonly<Record<string, string | undefined>>

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

/** Returns an object with all entries of `given`. It inherits no names, so that `__proto__` is an ordinary name. */
export function parametersFrom(...given: readonly Parameters[]): Record<string, string> {
  return Object.assign(new Named(), ...given)
}

/** Whether a text can be the value of a parameter: it has no control characters, and is valid Unicode. */
export function isParameterText(value: string): boolean {
  return !FORBIDDEN.test(value) && !/\p{Cs}/u.test(value)
}

/**
 * Reads `application/x-www-form-urlencoded` text: a query string or a form body. An empty value counts as absent (RFC
 * 6749 §3.1). The values of `resource`, the only name that may be repeated, are joined by spaces. The result inherits
 * no names, as that of parametersFrom.
 * @throws OAuthError `invalid_request` for a repeated name (RFC 6749 §3.1), invalid percent-encoding or UTF-8, control
 * characters, and more than 100 parameters
 */
export function readParameters(encoded: string): Parameters {
  const parameters = parametersFrom()
  if (encoded === '') return parameters
  const pairs = encoded.split('&')
  if (pairs.length > MAX_PARAMETERS)
    throw invalidRequest(`The request has more than ${MAX_PARAMETERS} parameters.`)
  // Most texts have nothing to decode, and are checked as a whole.
  const decode = isPlain(checked(encoded)) ? asIs : formDecode
  const seen: string[] = []
  for (const pair of pairs) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals))
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1))
    if (seen.includes(name) && name !== REPEATABLE) {
      throw invalidRequest('A parameter is given more than once.')
    }
    seen.push(name)
    if (value === '') continue
    const earlier = name === REPEATABLE ? parameters[name] : undefined
    parameters[name] = earlier === undefined ? value : `${earlier} ${value}`
  }
  return parameters
}

/**
 * Decodes one form-encoded name or value, strictly (WHATWG URL §5.1).
 * @throws OAuthError `invalid_request` for invalid percent-encoding, invalid UTF-8 and control characters.
 */
export function formDecode(encoded: string): string {
  return checked(isPlain(encoded) ? encoded : percentDecode(encoded))
}

const isPlain = (encoded: string) => !encoded.includes('%') && !encoded.includes('+')
const asIs = (plain: string) => plain

function checked(text: string): string {
  if (FORBIDDEN.test(text))
    throw invalidRequest('A parameter holds a control character or is not valid UTF-8.')
  return text
}

function percentDecode(encoded: string): string {
  try {
    return decodeURIComponent(encoded.includes('+') ? encoded.replaceAll('+', ' ') : encoded)
  } catch {
    throw invalidRequest('A parameter is not valid percent-encoded UTF-8.')
  }
}

/**
 * Returns a required parameter.
 * @throws OAuthError `invalid_request` if it is absent or empty
 */
export function required(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (value === undefined) throw invalidRequest(`The parameter ${name} is missing.`)
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
