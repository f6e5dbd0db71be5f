import { AdminError } from '../operation/problem.ts'

const STRONG = /^"[\x21\x23-\x7E]*"$/
const ANY = '"[\x21\x23-\x7E]*"'
const LIST = new RegExp(`^(?:W/)?${ANY}(?:\\s*,\\s*(?:W/)?${ANY})+$`)

/**
 * Returns the version that a request is for, from its If-Match header (RFC 9110 §13.1.1). Only one strong entity tag
 * counts: with `*` or several, two operators could overwrite each other.
 * @throws AdminError `version_required` (RFC 6585 §3), `stale`, `invalid_request`
 */
export function versionIn(if_match: string | undefined): string {
  const given = if_match?.trim() ?? ''
  if (given === '')
    throw new AdminError(
      'version_required',
      'Read the record, and send its ETag in the header If-Match.',
      [],
      {
        received: { if_match: 'none' },
        expected: { header: 'If-Match' },
      },
    )
  if (given === '*' || LIST.test(given)) {
    throw new AdminError(
      'version_required',
      'Send the ETag of the record as you read it in If-Match, and nothing else.',
      [],
      {
        received: { if_match: given === '*' ? '*' : 'several' },
        expected: { if_match: 'one strong entity tag' },
      },
    )
  }
  // RFC 9110 §13.1.1: a weak one never matches.
  if (given.startsWith('W/"'))
    throw new AdminError('stale', 'If-Match has a weak entity tag, which never matches.')
  if (!STRONG.test(given))
    throw new AdminError('invalid_request', 'If-Match is not an entity tag in double quotes.')
  return given
}
