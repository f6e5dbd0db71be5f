import type { Context } from '../../../src/context.ts'
import type { Service } from '../service.ts'
import type { Visitor } from '../visitor.ts'

/** What the steps of a scene are made of. */
export interface Stage extends Service {
  readonly redmint: Context
  pass(seconds: number): void
  visitor(): Visitor
}
