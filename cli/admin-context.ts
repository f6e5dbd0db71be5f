import type { AdminCaller, AdminContext } from '../src/admin/operation/operation.ts'
import type { CommandContext } from './command-context.ts'

/** The command on the host, which may do everything. */
export const COMMAND: AdminCaller = {
  kind: 'command',
  id: '',
  scopes: new Set(['redmint:read', 'redmint:write']),
}

/** Returns what operations work with, for a command on the host. */
export function adminContext({ storage, config, report, now }: CommandContext): AdminContext {
  const { settings } = config
  return { storage, settings, reads_environment: true, caller: COMMAND, report, now }
}
