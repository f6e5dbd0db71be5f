import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run } from '../../cli/program.ts'
import { MemoryStorage } from '../../src/storage/memory/storage.ts'
import type { Storage } from '../../src/storage/storage.ts'

export interface Answer {
  code: number
  stdout: string
  stderr: string
}

interface Desk {
  storage?: Storage
  environment?: Record<string, string>
  /** Milliseconds since 1970. */
  now?: () => number
}

/** An operator who works in this process, on one storage that survives each command. */
export function sitDown(desk: Desk = {}) {
  const { storage = new MemoryStorage(), now = Date.now } = desk
  const environment = desk.environment ?? { REDIS_URL: 'redis://127.0.0.1:1' }
  // Every command closes its storage, and the next one needs it again.
  storage.close = async () => {}

  const redmint = async (args: readonly string[], input = '', isTTY = false): Promise<Answer> => {
    const stdout = new PassThrough()
    const stderr = Object.assign(new PassThrough(), { isTTY })
    const printed = Promise.all([text(stdout), text(stderr)])
    const stdin = Object.assign(Readable.from([Buffer.from(input)]), { isTTY })
    const code = await run(args, { environment, stdin, stdout, stderr, openStorage: () => storage, now })
    stdout.end()
    stderr.end()
    const [out, err] = await printed
    return { code, stdout: out, stderr: err }
  }
  return { storage, redmint }
}

/** The one JSON document that a command printed. */
export function parsed<T = Record<string, unknown>>(answer: Answer): T {
  return JSON.parse(answer.stdout) as T
}
