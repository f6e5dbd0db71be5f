// Mails as a mail program reads them: a message of parts (RFC 2046 §5.1), each with its encoding (RFC 2045 §6).

/** A part of a mail, as it is shown. */
export interface MailPart {
  readonly type: string
  readonly text: string
}

/** A mail that was read. */
export interface ReadMessage {
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** The last one is the best that a program may show. */
  readonly parts: readonly MailPart[]
}

function split(text: string): readonly [head: ReadonlyMap<string, string>, body: string] {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) throw new Error('no head')
  const lines = text
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
  const head = new Map(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return [head, text.slice(end + 4)]
}

function decode(head: ReadonlyMap<string, string>, body: string): string {
  const encoding = head.get('content-transfer-encoding')?.toLowerCase() ?? '7bit'
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const octets = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  return Buffer.from(octets, 'latin1').toString()
}

/** Reads a mail of alternatives, as it was sent. */
export function readMessage(raw: string): ReadMessage {
  const [headers, body] = split(raw)
  const content = headers.get('content-type') ?? ''
  const [, boundary] = /^multipart\/alternative;.*boundary="?([^";]+)/i.exec(content) ?? []
  if (boundary === undefined) throw new Error(`not of alternatives: ${content}`)
  const [, ...pieces] = `\r\n${body}`.split(`\r\n--${boundary}`)
  const parts = pieces.slice(0, -1).map((piece) => {
    const [head, text] = split(piece.replace(/^[ \t]*\r\n/, ''))
    return { type: (head.get('content-type') ?? '').split(';')[0] ?? '', text: decode(head, text) }
  })
  return { headers, parts }
}
