import { readConfig } from '../../../src/config/config.ts'
import { ConfigError } from '../../../src/config/config-error.ts'

export type Environment = Record<string, string | undefined>

/** Returns the problems of an environment, one per line. */
export function problemsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
