import { devOperation, NO_INPUT } from '../operation.ts'

/** Reads the log of requests. */
export const LOG = devOperation({
  summary: 'Each request since the last reset (the last 1000): what was decided and, if it was refused, why',
  method: 'GET',
  path: '/log',
  call: 'log()',
  input: NO_INPUT,
  run: async ({ log }) => log.entries.map((entry) => ({ ...entry, events: [...entry.events] })),
})
