import { csvLineOf } from '../core/csv.ts'
import type { AuditEntry } from './entry.ts'

const COLUMNS = [
  'id',
  'at',
  'event',
  'actor',
  'via',
  'targets',
  'address',
  'browser',
  'request_id',
  'trace_id',
  'changes',
  'details',
] as const

/** The first line of a file. */
export const CSV_HEAD = COLUMNS.join(',')

/** Returns an entry as a line of CSV. */
export function csvLine({ id, at, event, actor, targets, context, changes, details }: AuditEntry): string {
  const cells: Record<(typeof COLUMNS)[number], string | undefined> = {
    id,
    at,
    event,
    actor: [actor.kind, actor.id].filter(Boolean).join(' '),
    via: actor.via,
    targets: targets.map((target) => `${target.kind} ${target.id}`).join('; '),
    address: context.address,
    browser: context.browser,
    request_id: context.request_id,
    trace_id: context.trace_id,
    changes: changes && JSON.stringify(changes),
    details: details && JSON.stringify(details),
  }
  return csvLineOf(COLUMNS.map((column) => cells[column]))
}
