import type fc from 'fast-check'
import type { ErrorCode } from '../../../src/core/error-codes.ts'
import { OAuthError } from '../../../src/core/errors.ts'

/** Code that reads input from outside, and what must hold for every input. */
export interface Target {
  readonly name: string
  /** Inputs that get past the first checks. */
  readonly inputs: fc.Arbitrary<string>
  /** Words that mean something to the code; mutations insert them. */
  readonly words: readonly string[]
  /** @throws an Error if the property does not hold for this input */
  check(input: string): void | Promise<void>
}

/** Returns what a reader returns, or undefined if it refuses the input with the specified error. @throws any other */
export function unlessRefused<T>(code: ErrorCode, read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof OAuthError && error.code === code) return undefined
    throw error
  }
}

/** As unlessRefused, for a reader that answers later. */
export async function unlessRefusedLater<T>(code: ErrorCode, reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    return unlessRefused(code, () => {
      throw error
    })
  }
}

/** The parts of an input before and after its first line break. */
export function twoParts(input: string): [first: string, second: string] {
  const [first = '', ...rest] = input.split('\n')
  return [first, rest.join('\n')]
}
