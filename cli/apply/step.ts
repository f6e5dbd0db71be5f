import type { Difference } from '../../src/admin/operation/compare.ts'
import type { Step } from '../import.ts'

/** What has to be done to one record. */
export type Action = 'create' | 'change' | 'unchanged' | 'remove'

/** The work for one record. */
export interface ApplyStep extends Step<'done'> {
  kind: 'client' | 'user' | 'resource' | 'issuer' | 'provider'
  name: string
  action: Action
  differences: readonly Difference[]
  /** Whether it ends sessions and tokens. */
  ends: boolean
  /** The secret that the client gets, because neither the file nor the record has one. */
  client_secret?: string
  /** Why it was refused when it was tried. */
  problem?: string
}

/** How a file takes records over. */
export interface Ownership {
  /** The label of the file. */
  label: string
  /** Whether records without a label or with another one are taken over. */
  adopt: boolean
}

/** Returns why a stored record is not the file's to change, or undefined if it is. */
export function ownershipProblem(managed_by: string | undefined, own: Ownership): string | undefined {
  if (own.adopt || managed_by === own.label) return undefined
  const present = managed_by ? `is managed by "${managed_by}"` : 'exists and is managed by no file'
  return `${present}: give --adopt to take it over`
}
