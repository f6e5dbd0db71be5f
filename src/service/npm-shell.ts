/** How often a server that npm has started looks whether the shell of npm is still there, in milliseconds. */
const PARENT_CHECK_MS = 200

/**
 * Takes the end of the shell in which npm runs a command for SIGTERM: npm and npx pass a signal on to that shell only,
 * and most shells end without passing it on.
 */
export function endWithNpm(): void {
  if (process.env.npm_command === undefined) return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, PARENT_CHECK_MS).unref()
}
