import { userInfo } from 'node:os'
import type { AdminCaller, AdminContext } from '../src/admin/operation/operation.ts'
import type { CommandContext } from './command-context.ts'

/** The command on the host, which may do everything. */
export const COMMAND: AdminCaller = {
  kind: 'command',
  id: '',
  scopes: new Set(['redmint:read', 'redmint:write']),
  login: loginName(),
}

/** Who runs the command: behind sudo, whoever called it. */
function loginName(): string {
  try {
    return process.env.SUDO_USER || userInfo().username
  } catch {
    // A container may run as somebody who has no name.
    return String(process.getuid?.() ?? 'unknown')
  }
}

/** Returns what operations work with, for a command on the host. */
export function adminContext({ storage, config, report, now }: CommandContext): AdminContext {
  const { settings } = config
  return { storage, settings, reads_environment: true, caller: COMMAND, report, now }
}
