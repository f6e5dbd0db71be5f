/**
 * Returns a command as Redis reads it: an array of bulk strings (https://redis.io/docs/latest/develop/reference/protocol-spec/).
 * The driver's way takes twice as long.
 */
export function commandText(words: readonly string[]): string {
  const text = write(words, (word) => word.length)
  // Each character is a byte, as in most commands. To ask once is cheaper than to ask for each word.
  return Buffer.byteLength(text) === text.length ? text : write(words, Buffer.byteLength)
}

const HEADS = Array.from({ length: 256 }, (_, bytes) => headOf(bytes))

function write(words: readonly string[], bytesOf: (word: string) => number): string {
  let text = `*${words.length}`
  for (const word of words) {
    const bytes = bytesOf(word)
    // Two steps: V8 makes fewer texts on the way.
    text += HEADS[bytes] ?? headOf(bytes)
    text += word
  }
  return `${text}\r\n`
}

function headOf(bytes: number): string {
  return `\r\n$${bytes}\r\n`
}
