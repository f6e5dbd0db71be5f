import { misspellingsOf, nearestName } from '../core/nearest.ts'
import { ENVIRONMENT } from './environment.ts'

/** A variable may have this prefix, which marks it as one of redmint. */
const PREFIX = 'REDMINT_'

const NAMES = Object.keys(ENVIRONMENT.properties)
const correctName = misspellingsOf([...NAMES, ...NAMES.map((name) => PREFIX + name)])

// What the command reads itself, for work at a server.
const OF_THE_COMMAND = ['REDMINT_SERVER', 'REDMINT_TOKEN']

// What Kubernetes sets for a Service whose name begins with "redmint".
const SERVICE = /^REDMINT_(\w+_)?SERVICE_(HOST|PORT(_\w+)?)$/
const SERVICE_PORT = /^REDMINT_(\w+_)?PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/** The values of the variables of redmint by name without prefix, and a line for each name that looks misspelled. */
interface NamedValues {
  readonly values: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
}

/**
 * Finds the variables of redmint in an environment, with and without the prefix `REDMINT_`; a blank one counts as absent.
 * Adds a line to `problems` for each unknown name with the prefix, and for two values of one variable.
 */
export function findVariables(
  environment: Readonly<Record<string, string | undefined>>,
  problems: string[],
): NamedValues {
  const values: Record<string, string> = {}
  const warnings: string[] = []
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || value.trim() === '' || isServiceVariable(name, value)) continue
    if (OF_THE_COMMAND.includes(name)) continue
    const own = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name
    if (!NAMES.includes(own)) {
      if (name.toUpperCase().startsWith(PREFIX)) problems.push(unknownProblem(name))
      else warnings.push(...warningOf(name))
    } else if (values[own] === undefined) values[own] = value
    else if (values[own] !== value) {
      problems.push(`${own} and ${PREFIX}${own} have different values: remove one of them`)
    }
  }
  return { values, warnings }
}

function isServiceVariable(name: string, value: string): boolean {
  if (SERVICE.test(name) || SERVICE_PORT.test(name)) return true
  return /^REDMINT_(\w+_)?PORT$/.test(name) && SERVICE_ADDRESS.test(value)
}

function unknownProblem(name: string): string {
  const nearest = nearestName(name.slice(PREFIX.length), NAMES)
  const hint =
    nearest === undefined
      ? 'remove it; docs/configuration.md has all variables'
      : `did you mean ${PREFIX}${nearest}?`
  return `${name} is not a variable of redmint: ${hint}`
}

function warningOf(name: string): string[] {
  const meant = correctName(name)
  return meant === undefined ? [] : [`${name} is not a variable of redmint: did you mean ${meant}?`]
}
