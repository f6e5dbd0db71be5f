import { createReadStream } from 'node:fs'
import { Refusal, UsageError } from './errors.ts'

/** The longest line of a file, in bytes: no record is nearly as long. */
const MAX_LINE = 1024 * 1024

/** One line of a file, counted from 1. */
export interface FileLine {
  readonly number: number
  readonly text: string
}

const NEWLINE = 0x0a

/**
 * Yields the lines of a file that are not empty. Memory does not grow with the file.
 * @throws UsageError if it cannot be read; Refusal if a line is too long or not UTF-8
 */
export async function* linesOf(path: string): AsyncGenerator<FileLine> {
  let number = 0
  let parts: Buffer[] = []
  let length = 0
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const finish = (): FileLine | undefined => {
    number += 1
    const text = decoded(decoder, Buffer.concat(parts), number)
    parts = []
    length = 0
    return text.trim() === '' ? undefined : { number, text }
  }
  for await (const chunk of chunksOf(path)) {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from)
      const part = chunk.subarray(from, end === -1 ? undefined : end)
      length += part.length
      if (length > MAX_LINE) throw new Refusal(`Line ${number + 1} has more than ${MAX_LINE} bytes.`)
      parts.push(part)
      if (end === -1) break
      from = end + 1
      const line = finish()
      if (line !== undefined) yield line
    }
  }
  const last = finish()
  if (last !== undefined) yield last
}

/** Yields the bytes of a file, in parts. @throws UsageError if it cannot be read */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw new UsageError(`The file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}

function decoded(decoder: InstanceType<typeof TextDecoder>, bytes: Buffer, number: number): string {
  try {
    return decoder.decode(bytes).replace(/^\uFEFF/, '')
  } catch {
    throw new Refusal(`Line ${number} is not UTF-8.`)
  }
}
