// Finds where messages of the Redis protocol (RESP2 and RESP3) begin and end.

/** A message and the offset of the next one. */
interface Framed<T> {
  value: T
  end: number
}

const COUNTED: Record<string, number> = { '*': 1, '~': 1, '>': 1, '%': 2, '|': 2 }
const BULKS = '$=!'

/** The words of the first command, which clients send as an array; undefined while it is incomplete. */
export function readCommand(bytes: Buffer): Framed<string[]> | undefined {
  const head = readLine(bytes, 0)
  if (head === undefined) return undefined
  const words: string[] = []
  let at = head.end
  while (words.length < Number(head.value.slice(1))) {
    const length = readLine(bytes, at)
    if (length === undefined) return undefined
    const end = length.end + Number(length.value.slice(1))
    if (end + 2 > bytes.length) return undefined
    words.push(bytes.toString('utf8', length.end, end))
    at = end + 2
  }
  return { value: words, end: at }
}

/** The first message of a server: whether it is a reply or a push, and where it ends. */
export function readReply(bytes: Buffer): Framed<'reply' | 'push'> | undefined {
  let at = 0
  // An attribute precedes its reply.
  while (bytes[at] === 0x7c) {
    const end = endOf(bytes, at)
    if (end === undefined) return undefined
    at = end
  }
  const end = endOf(bytes, at)
  return end === undefined ? undefined : { value: bytes[at] === 0x3e ? 'push' : 'reply', end }
}

function endOf(bytes: Buffer, at: number): number | undefined {
  const line = readLine(bytes, at)
  if (line === undefined) return undefined
  const type = line.value.charAt(0)
  const length = Number(line.value.slice(1))
  const members = COUNTED[type]
  if (members === undefined) {
    const end = BULKS.includes(type) && length >= 0 ? line.end + length + 2 : line.end
    return end > bytes.length ? undefined : end
  }
  let end: number | undefined = line.end
  for (let left = length * members; left > 0 && end !== undefined; left--) end = endOf(bytes, end)
  return end
}

function readLine(bytes: Buffer, at: number): Framed<string> | undefined {
  const end = bytes.indexOf('\r\n', at)
  return end === -1 ? undefined : { value: bytes.toString('latin1', at, end), end: end + 2 }
}
