import { setTimeout as pause } from 'node:timers/promises'
import { EXIT } from './cli/errors.ts'
import { errorText } from './cli/output.ts'
import { asksForJson, invocationOf, runCli } from './cli/program.ts'

/** Milliseconds: an operator rather waits than begins a long command anew. */
const REPLY_TIMEOUT = 5000

const { stdin, stdout, stderr, env } = process
const args = process.argv.slice(2)

let is_lost = false
for (const stream of [stdout, stderr]) {
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    // A reader that closes the pipe early (`| head`) is not an error: the command still finishes its work.
    if (code === 'EPIPE' || is_lost) return
    is_lost = true
    const message = `The output cannot be written (${code}). What the command changes is done; a secret that it makes is lost: make another one with redmint client rotate-secret.`
    stderr.write(`${errorText(message, asksForJson(args))}\n`)
    process.exitCode = EXIT.storage
  })
}

const exitCode = await runCli(args, {
  invocation: invocationOf(process.argv[1] ?? 'redmint', process.cwd(), env),
  environment: env,
  stdin,
  stdout,
  stderr,
  async storageOpener() {
    const [{ openStorage }, { waitForReplies }] = await Promise.all([
      import('./src/service/open-storage.ts'),
      import('./src/storage/redis/connection/driver.ts'),
    ])
    waitForReplies(REPLY_TIMEOUT)
    return openStorage
  },
  now: Date.now,
  wait: (seconds) => pause(seconds * 1000),
  // The image for production has none of it.
  development: () => import('./dev/serve.ts'),
})
if (!is_lost) process.exitCode = exitCode
