// Commands, run the way a person pastes them.
import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { type Program, run } from './process.ts'

const STAND_IN = fileURLToPath(new URL('curl.ts', import.meta.url))

/** Whether this machine has curl; a bare Debian has not, and then our stand-in is used. */
export const hasCurl = spawnSync('curl', ['--version']).status === 0

/**
 * Runs commands with bash, which stops at the first one that fails, and waits for the end.
 * @param environment beside PATH
 */
export async function paste(
  t: Test,
  commands: string,
  environment: Record<string, string> = {},
  { withCurl = hasCurl } = {},
): Promise<Program> {
  const { PATH = '' } = process.env
  if (!hasCurl) t.comment('There is no curl here: a stand-in of our own runs the commands.')
  const shell = run(t, 'bash', ['-euo', 'pipefail', '-c', commands], {
    ...environment,
    PATH: withCurl ? PATH : `${await makeStandIn(t)}${delimiter}${PATH}`,
  })
  await shell.ended
  return shell
}

/** A folder with a command `curl` of our own. */
async function makeStandIn(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'redmint-curl-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const command = join(folder, 'curl')
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' --import=tsx '${STAND_IN}' "$@"\n`)
  await chmod(command, 0o755)
  return folder
}

/** The JSON objects among what commands printed, none of them nested. */
export function jsonOf({ stdout }: Pick<Program, 'stdout'>): Record<string, unknown>[] {
  return (stdout.match(/\{[^{}]*\}/g) ?? []).map((text) => JSON.parse(text))
}
