import { ENVIRONMENT, REDIS_VARIABLES, SETTING_VARIABLES } from '../../src/config/environment.ts'
import { code, table } from './page.ts'

/** What the schema of the environment says of a variable. */
interface Rule {
  readonly default?: string | number | boolean
  readonly description: string
}

/** The table of a group of environment variables. */
export function variablesOf(group: 'process' | 'redis' | 'service'): string {
  // Where Redis is comes before what else is about it.
  const all: object = { ...REDIS_VARIABLES.properties, ...ENVIRONMENT.properties }
  const rows = Object.entries<Rule>({ ...all }).filter(([name]) => groupOf(name) === group)
  return table(
    ['variable', 'default', 'meaning'],
    rows.map(([name, rule]) => [code(name), defaultOf(rule), rule.description]),
  )
}

function groupOf(name: string) {
  if (name.startsWith('REDIS_')) return 'redis'
  return name in SETTING_VARIABLES.properties ? 'service' : 'process'
}

function defaultOf({ default: value }: Rule): string {
  return value === undefined ? 'unset' : code(String(value))
}
