import { nearestName } from '../core/nearest.ts'
import { SETTING_VARIABLES } from './environment.ts'
import { type OptionRule, ruleProblems } from './option-form.ts'
import { OPTION_FORMS } from './option-forms.ts'
import { valueProblem } from './read-environment.ts'

const FORMS: Readonly<Record<string, OptionRule>> = OPTION_FORMS
const VARIABLES = Object.keys(SETTING_VARIABLES.properties)
const SETTINGS = [...VARIABLES.map((name) => name.toLowerCase()), ...Object.keys(FORMS)]

/**
 * Returns the valid settings among the options of an application, and adds a line to `problems` for each mistake in the
 * options. An option that is undefined counts as absent. A setting has the rule of its variable.
 * @param others the rules of the options that are not settings
 */
export function readOptions(
  options: object,
  others: Readonly<Record<string, OptionRule>>,
  problems: string[],
): object {
  const names = [...SETTINGS, ...Object.keys(others)]
  const valid = Object.entries(options).filter(([name, value]) => {
    if (value === undefined) return false
    const found = names.includes(name) ? optionProblems(name, value, others) : [unknownProblem(name, names)]
    problems.push(...found.map((problem) => `${name} ${problem}`))
    return found.length === 0 && SETTINGS.includes(name)
  })
  return Object.fromEntries(valid)
}

function optionProblems(
  name: string,
  value: unknown,
  others: Readonly<Record<string, OptionRule>>,
): string[] {
  const rule = FORMS[name] ?? others[name]
  if (rule !== undefined) return ruleProblems(rule, value)
  const problem = valueProblem(name.toUpperCase(), value)
  return problem === undefined ? [] : [problem]
}

function unknownProblem(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  const hint =
    nearest === undefined ? 'remove it; docs/embedding.md has all options' : `did you mean ${nearest}?`
  return `is not an option of redmint: ${hint}`
}
