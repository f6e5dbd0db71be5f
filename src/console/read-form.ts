import { AdminError } from '../admin/operation/problem.ts'

const MAX_FIELDS = 200
// What people type in several lines has breaks, and JSON may have tabs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const FORBIDDEN = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F\uFFFD]/

/** Ends the name of a field whose values are a list: boxes, and a text for a new one. */
const LIST = '[]'

/**
 * Reads `application/x-www-form-urlencoded` text strictly: each field once, in valid UTF-8, of at most several lines. What
 * is empty stays, because it clears a field. Of a list (`groups[]`) the values are lines of one field. The result inherits
 * no names.
 * @throws AdminError `invalid_request`
 */
export function readForm(encoded: string): Readonly<Record<string, string>> {
  const form: Record<string, string> = Object.create(null)
  try {
    // URLSearchParams would replace what is misencoded.
    decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    throw new AdminError('invalid_request', 'The form is not valid percent-encoded UTF-8.')
  }
  const fields = [...new URLSearchParams(encoded)]
  if (fields.length > MAX_FIELDS)
    throw new AdminError('invalid_request', `The form has more than ${MAX_FIELDS} fields.`)
  const lists = new Set<string>()
  for (const [given, value] of fields) {
    const is_list = given.endsWith(LIST)
    const name = is_list ? given.slice(0, -LIST.length) : given
    if (name in form && !(is_list && lists.has(name)))
      throw new AdminError('invalid_request', 'A field of the form is given twice.')
    if (FORBIDDEN.test(value))
      throw new AdminError('invalid_request', 'A field of the form has a control character.')
    form[name] = is_list && name in form ? `${form[name]}\n${value}` : value
    if (is_list) lists.add(name)
  }
  return form
}
