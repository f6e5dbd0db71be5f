// Runs commands as a user pastes them into a shell. scripts/test.ts checks that curl and openssl are installed.
import type { Test } from 'tap'
import { nodeArgs, type Program, run } from './process.ts'

/** Defines the command `redmint` for bash, as it is here. */
export const REDMINT = `redmint() { '${[process.execPath, ...nodeArgs('cli.ts')].join("' '")}' "$@"; }`

/**
 * Runs commands with bash, which stops at the first one that fails, and waits for the end.
 * @param environment variables in addition to PATH
 */
export async function paste(
  t: Test,
  commands: string,
  environment: Record<string, string> = {},
): Promise<Program> {
  const { PATH = '' } = process.env
  const shell = run(t, 'bash', ['-euo', 'pipefail', '-c', commands], { ...environment, PATH })
  await shell.ended
  return shell
}

/** The JSON objects in the output of commands, without nested ones. */
export function jsonOf({ stdout }: Pick<Program, 'stdout'>): Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  let depth = 0
  let start = 0
  for (const { 0: token, index } of stdout.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{' && depth++ === 0) start = index
    if (token === '}' && depth > 0 && --depth === 0) found.push(JSON.parse(stdout.slice(start, index + 1)))
  }
  return found
}
