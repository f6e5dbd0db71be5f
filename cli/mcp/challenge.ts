// token = quoted-string or token = token68-like text (RFC 9110 §11.2).
const ATTRIBUTE = /([A-Za-z0-9_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))/g

/**
 * Returns the attributes of the Bearer challenge in a WWW-Authenticate header (RFC 6750 §3), by their names in lower case;
 * undefined if there is none.
 */
export function bearerAttributes(header: string | null): ReadonlyMap<string, string> | undefined {
  const start = /(?:^|,)\s*bearer(?=\s|,|$)/i.exec(header ?? '')
  if (header === null || start === null) return undefined
  const after = header.slice(start.index + start[0].length)
  // Another challenge begins with a scheme, which has no "=" behind it.
  const next = /,\s*[A-Za-z][A-Za-z0-9_-]*\s+[A-Za-z0-9_-]+\s*=/.exec(
    after.replace(/"(?:[^"\\]|\\.)*"/g, blank),
  )
  const own = next === null ? after : after.slice(0, next.index)
  return new Map(
    [...own.matchAll(ATTRIBUTE)].map(([, name = '', quoted, plain = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? plain,
    ]),
  )
}

const blank = (quoted: string) => '"'.padEnd(quoted.length - 1, '_').concat('"')
