/** Those that clients send in the wrong place. Any other text may be anything that a stranger typed. */
const KNOWN: readonly string[] = [
  'application/json',
  'application/jwt',
  'application/merge-patch+json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/html',
  'text/plain',
  'text/xml',
]

/** Returns the media type of a header, in lower case and without parameters. */
export function mediaTypeOf(content_type = ''): string {
  const [type = ''] = content_type.split(';', 1)
  return type.trim().toLowerCase()
}

/** Returns the media type of a header as explanations show it. */
export function shownMediaType(content_type: string | undefined): string {
  const type = mediaTypeOf(content_type)
  if (type === '') return 'none'
  return KNOWN.includes(type) ? type : 'another'
}
