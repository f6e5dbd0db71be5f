// The sign-ins of a storm.
import { row } from './row.ts'

export const STORM = row({
  name: 'storm',
  title: 'tokens during a storm of sign-ins',
  operation: 'sign-in',
  connections: 16,
  candidates: ['redmint'],
})
