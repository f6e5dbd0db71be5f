import { InvalidArgumentError, Option } from 'commander'
import { ADMIN_SCOPES } from '../../src/core/admin-scopes.ts'
import { collectWords } from '../command.ts'

/** Returns the option `--scope` for scopes of the admin API. */
export function scopeOption(description: string): Option {
  return new Option('--scope <names>', description).argParser(collectScopes)
}

function collectScopes(value: string, previous: readonly string[] = []): string[] {
  const names = collectWords(value, previous)
  const unknown = names.find((name) => !ADMIN_SCOPES.some((known) => known === name))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${unknown} is none of ${ADMIN_SCOPES.join(', ')}.`)
  return names
}
