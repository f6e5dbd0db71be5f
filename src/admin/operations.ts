import type { Operation } from './operation.ts'
import { SERVER_OPERATIONS } from './server.ts'
import { USER_OPERATIONS } from './users/operations.ts'

/** All operations of the admin API: a table for each area. */
export const OPERATIONS: readonly Operation[] = [...USER_OPERATIONS, ...SERVER_OPERATIONS]
