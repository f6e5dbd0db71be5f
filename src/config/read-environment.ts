import { ENVIRONMENT, type Environment } from './environment.ts'

// Messages for variables whose rule is unclear by itself.
const FORMS: Record<string, string> = {
  REDIS_URL: 'must begin with redis://, rediss:// or unix://',
  REDIS_CLUSTER_NODES: 'must be host:port,host:port,…',
  REDIS_SENTINELS: 'must be host:port,host:port,…',
  REDIS_KEY_PREFIX: 'must be 1 to 64 characters without braces and white space',
  WEB_PUSH_PRIVATE_KEY: 'must be 32 bytes in base64: openssl rand -base64 32',
  KEY_ENCRYPTION_KEY: 'must be 32 bytes in base64: openssl rand -base64 32',
  CLIENT_CERTIFICATE_SECRET: 'must have 32 to 200 visible ASCII characters: openssl rand -base64 32',
  PAIRWISE_SALT: 'must have 16 characters or more: openssl rand -base64 32',
}

type Value = string | number | boolean

/** What ENVIRONMENT says of a variable. The other words of JSON Schema are not read here. */
interface Rule {
  type: 'string' | 'integer' | 'boolean'
  default?: Value
  enum?: readonly string[]
  minLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
}

const RULES = ENVIRONMENT.properties as object as Readonly<Record<string, Rule>>

/** Reads the values of variables and adds a line to `problems` for each invalid one, which counts as absent. */
export function readEnvironment(values: Readonly<Record<string, string>>, problems: string[]): Environment {
  const environment: Record<string, Value> = {}
  for (const [name, rule] of Object.entries(RULES)) {
    const text = values[name]
    const value = text === undefined ? undefined : readValue(text, rule)
    const problem = value === undefined ? undefined : problemOf(name, value, rule)
    if (problem !== undefined) problems.push(`${name} ${problem}`)
    const read = problem === undefined && value !== undefined ? value : rule.default
    if (read !== undefined) environment[name] = read
  }
  return environment as Environment
}

/** Returns why a value, which no variable had as text, is not one of a variable; undefined if it is. */
export function valueProblem(name: string, value: unknown): string | undefined {
  const rule = RULES[name]
  if (rule === undefined) return undefined
  if (isOfType(value, rule)) return problemOf(name, value, rule)
  return rule.enum === undefined ? `must be ${TYPES[rule.type]}, not ${typeOf(value)}` : oneOf(rule.enum)
}

const BOOLEANS: readonly string[] = ['true', 'false']
const TYPES = { string: 'a string', integer: 'a whole number', boolean: 'true or false' } as const

function isOfType(value: unknown, { type }: Rule): value is Value {
  return typeof value === (type === 'integer' ? 'number' : type)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`
}

// YAML 1.1, which Helm reads, makes true of `on`: both words are one value.
const TWINS: Readonly<Record<string, string>> = { true: 'on', on: 'true', false: 'off', off: 'false' }

function readValue(text: string, { type, enum: words = type === 'boolean' ? BOOLEANS : [] }: Rule): Value {
  if (type === 'integer') return Number(text)
  const twin = TWINS[text]
  const word = twin !== undefined && words.includes(twin) ? twin : text
  return type === 'boolean' && BOOLEANS.includes(word) ? word === 'true' : word
}

function problemOf(name: string, value: Value, rule: Rule): string | undefined {
  const problem = ruleProblem(value, rule)
  return problem && (FORMS[name] ?? problem)
}

function ruleProblem(value: Value, rule: Rule): string | undefined {
  switch (rule.type) {
    case 'integer': {
      const { minimum = -Infinity, maximum = Infinity } = rule
      if (!Number.isSafeInteger(value)) return `must be ${TYPES.integer}`
      if (Number(value) < minimum) return `must be ${minimum} or more`
      return Number(value) > maximum ? `must be ${maximum} or less` : undefined
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `must be ${TYPES.boolean}`
    case 'string':
      return textProblem(String(value), rule)
  }
}

function textProblem(text: string, { enum: words, pattern = '', minLength = 0 }: Rule): string | undefined {
  if (words !== undefined && !words.includes(text)) return oneOf(words)
  if ([...text].length < minLength) return `must have ${minLength} characters or more`
  return new RegExp(pattern, 'u').test(text) ? undefined : `must match ${pattern}`
}

function oneOf(words: readonly string[]): string {
  return `must be one of ${words.join(', ')}`
}
