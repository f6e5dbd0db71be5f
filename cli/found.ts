import { AdminError } from '../src/admin/operation/problem.ts'
import type { RecordAnswer } from './from-answer.ts'

/** Returns what an operation reads; undefined: there is none of that name. @throws any other error */
export async function found(reading: Promise<RecordAnswer>): Promise<RecordAnswer | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof AdminError && error.code === 'not_found') return undefined
    throw error
  }
}
