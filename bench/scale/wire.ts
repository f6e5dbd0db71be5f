// Commands of Redis as text.

/** Returns a command as Redis reads it. */
export function command(...words: readonly string[]): string {
  let text = `*${words.length}\r\n`
  for (const word of words) text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`
  return text
}

/** A text in which some parts are others each time, of the same length. */
export class Template {
  readonly #texts: readonly string[]
  readonly #slots: readonly number[]

  /** @param parts what stands in the text where others stand each time */
  constructor(text: string, parts: readonly string[]) {
    const pattern = new RegExp(`(${parts.map((part) => part.replace(/\W/g, '\\$&')).join('|')})`)
    const pieces = text.split(pattern)
    this.#texts = pieces.filter((_, i) => i % 2 === 0)
    this.#slots = pieces.flatMap((piece, i) => (i % 2 === 0 ? [] : [parts.indexOf(piece)]))
  }

  fill(parts: readonly string[]): string {
    let text = this.#texts[0] ?? ''
    for (const [i, slot] of this.#slots.entries()) text += (parts[slot] ?? '') + (this.#texts[i + 1] ?? '')
    return text
  }
}
