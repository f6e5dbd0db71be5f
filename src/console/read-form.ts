import { AdminError } from '../admin/operation/problem.ts'

const MAX_FIELDS = 200
// What people type in several lines has breaks, and JSON may have tabs.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
const FORBIDDEN = /[\x00-\x08\x0B\x0C\x0E-\x1F\x7F\uFFFD]/

/**
 * Reads `application/x-www-form-urlencoded` text strictly: each field once, in valid UTF-8, of at most several lines. What
 * is empty stays, because it clears a field. The result inherits no names.
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
  for (const [name, value] of fields) {
    if (name in form) throw new AdminError('invalid_request', 'A field of the form is given twice.')
    if (FORBIDDEN.test(value))
      throw new AdminError('invalid_request', 'A field of the form has a control character.')
    form[name] = value
  }
  return form
}
