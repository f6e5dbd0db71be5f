import { ENVIRONMENT, REDIS_VARIABLES, SETTING_VARIABLES } from '../../src/config/environment.ts'
import { VARIABLE_DOCS } from '../../src/config/variable-docs.ts'
import { code, table } from './page.ts'

/** The table of a group of environment variables. */
export function variablesOf(group: 'process' | 'redis' | 'service'): string {
  // Where Redis is comes before what else is about it.
  const properties: Readonly<Record<string, { readonly default?: unknown }>> = {
    ...REDIS_VARIABLES.properties,
    ...ENVIRONMENT.properties,
  }
  const meanings = new Map<string, string>(Object.entries(VARIABLE_DOCS))
  const rows = Object.entries(properties).filter(([name]) => groupOf(name) === group)
  return table(
    ['variable', 'default', 'meaning'],
    rows.map(([name, rule]) => [code(name), defaultOf(rule), meanings.get(name) ?? '']),
  )
}

function groupOf(name: string) {
  if (name.startsWith('REDIS_')) return 'redis'
  return name in SETTING_VARIABLES.properties ? 'service' : 'process'
}

function defaultOf({ default: value }: { readonly default?: unknown }): string {
  return value === undefined ? 'unset' : code(String(value))
}
