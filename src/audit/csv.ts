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

/** Returns an entry as a line of CSV (RFC 4180), in which no program for tables finds a formula. */
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
  return COLUMNS.map((column) => csvCell(cells[column] ?? '')).join(',')
}

/** A cell that begins like a formula, or that a program may take for one after trimming, gets an apostrophe. */
export function csvCell(text: string): string {
  const harmless = /^[\s]*[=+\-@]|^[\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n\t']/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
