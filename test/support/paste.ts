// Commands, run the way a person pastes them. scripts/test.ts sees to it that curl and openssl are there.
import type { Test } from 'tap'
import { type Program, run } from './process.ts'

/**
 * Runs commands with bash, which stops at the first one that fails, and waits for the end.
 * @param environment beside PATH
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

/** The JSON objects among what commands printed, none of them nested. */
export function jsonOf({ stdout }: Pick<Program, 'stdout'>): Record<string, unknown>[] {
  return (stdout.match(/\{[^{}]*\}/g) ?? []).map((text) => JSON.parse(text))
}
