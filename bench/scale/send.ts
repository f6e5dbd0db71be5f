// Sends commands in bulk: `redis-cli --pipe` takes some hundred thousand a second.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

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
