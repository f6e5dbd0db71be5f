// Commands of Redis as text, in bulk: `redis-cli --pipe` takes some hundred thousand a second.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

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

const AT_A_TIME = 1 << 20

/**
 * Sends commands to Redis, of which only the last ones are in memory.
 * @throws Error if Redis refused one
 */
export async function sendAll(url: string, commands: Iterable<string>): Promise<void> {
  const pipe = spawn('redis-cli', ['-u', url, '--pipe'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  pipe.stdout.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000)
  })
  const ended = once(pipe, 'close')
  // If it ends early, what it said tells why.
  pipe.stdin.on('error', () => {})
  let waiting = ''
  const send = async () => {
    const is_full = !pipe.stdin.write(waiting)
    waiting = ''
    if (is_full) await Promise.race([once(pipe.stdin, 'drain'), ended])
  }
  for (const text of commands) {
    waiting += text
    if (waiting.length >= AT_A_TIME) await send()
    if (pipe.exitCode !== null) break
  }
  await send()
  pipe.stdin.end()
  await ended
  if (!/errors: 0,/.test(said)) throw new Error(`Redis did not take all that was written: ${said.trim()}`)
}
