import { type Static, type TObject, Type } from '@sinclair/typebox'
import { checkInput } from '../../src/admin/operation/check-input.ts'
import { AdminError } from '../../src/admin/operation/problem.ts'
import { OAuthError } from '../../src/core/errors.ts'
import type { DevParts } from '../parts.ts'
import { ControlError } from './control-error.ts'

/** One thing that tests do with a server for development, by HTTP or by a method of `Redmint`. */
export interface DevOperation<Input extends TObject = TObject, Answer = unknown> {
  readonly summary: string
  readonly method: 'GET' | 'POST'
  /** Below `/dev`. */
  readonly path: `/${string}`
  /** The method of `Redmint`, with its arguments. */
  readonly call: string
  readonly input: Input
  /** @throws ControlError, OAuthError if it is refused; StorageUnavailable */
  run(parts: DevParts, input: Static<Input>): Promise<Answer>
}

/** What an operation without parameters has. */
export const NO_INPUT = Type.Object({}, { additionalProperties: false })

/** Returns an operation with the types of its input and its answer, to stand in a table of different ones. */
export const devOperation = <Input extends TObject, Answer>(
  given: DevOperation<Input, Answer>,
): DevOperation<Input, Answer> => given

/**
 * Runs an operation.
 * @throws ControlError that says what is wrong with the input, or why it is refused; StorageUnavailable
 */
export async function runOperation<Input extends TObject, Answer>(
  operation: DevOperation<Input, Answer>,
  parts: DevParts,
  input: unknown,
): Promise<Answer> {
  const given = withoutAbsent(input)
  assertInput(operation.input, given)
  try {
    return await operation.run(parts, given as Static<Input>)
  } catch (error) {
    // Those of the protocol say what they refuse, as they do at its endpoints.
    if (error instanceof OAuthError)
      throw new ControlError(`${error.code}: ${error.description}`, error.status)
    throw error
  }
}

/** In TypeScript, a member that is undefined is absent. */
function withoutAbsent(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

/** @throws ControlError that lists every problem, and what is known */
function assertInput(schema: TObject, input: unknown): void {
  try {
    checkInput(schema, input)
  } catch (error) {
    if (!(error instanceof AdminError)) throw error
    const known = Object.keys(schema.properties)
    const members = known.length === 0 ? 'it has none' : known.join(', ')
    throw new ControlError(`${error.message} (known: ${members})`)
  }
}
