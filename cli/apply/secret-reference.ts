import { readFileSync } from 'node:fs'
import type { FieldText } from '../../src/core/field-kinds.ts'
import { isObject } from '../../src/core/json.ts'

type Environment = Readonly<Record<string, string | undefined>>

const FORMS = '{env: NAME} or {file: PATH}'

/**
 * Returns a function that reads the secret to which `{env: NAME}` or `{file: PATH}` refers, without the line
 * break at its end. A secret in the file itself is a problem: such files are committed and shown in reviews.
 * @param problemOf returns why a secret is refused, without quoting it; absent: it is judged later
 */
export function secretReader(environment: Environment, problemOf?: (secret: string) => string | undefined) {
  return (given: unknown): FieldText => {
    const found = follow(given, environment)
    if ('problem' in found) return found
    const problem = problemOf?.(found.text)
    return problem === undefined ? found : { problem }
  }
}

function follow(given: unknown, environment: Environment): FieldText {
  if (typeof given === 'string') {
    return { problem: `must not be in the file: refer to it with ${FORMS}` }
  }
  const [[kind, name] = [], ...more] = isObject(given) ? Object.entries(given) : []
  if (typeof name !== 'string' || name === '' || more.length > 0) return { problem: `must be ${FORMS}` }
  if (kind === 'env') return fromEnvironment(name, environment)
  return kind === 'file' ? fromFile(name) : { problem: `must be ${FORMS}` }
}

function fromEnvironment(name: string, environment: Environment): FieldText {
  const text = environment[name]
  return text ? { text } : { problem: `refers to the environment variable ${name}, which is not set` }
}

function fromFile(path: string): FieldText {
  try {
    return { text: readFileSync(path, 'utf8').replace(/\r?\n$/, '') }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return { problem: `refers to the file ${path}, which cannot be read: ${code}` }
  }
}
