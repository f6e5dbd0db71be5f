import type { Entries } from '../../src/admin/audit.ts'
import { CSV_HEAD, csvLine } from '../../src/audit/csv.ts'
import type { AuditEntry } from '../../src/audit/entry.ts'
import { toOcsf } from '../../src/audit/ocsf.ts'
import type { CallInput, Calls } from '../calls.ts'
import { UsageError } from '../errors.ts'
import { jsonLine, listed, printableText, type Report } from '../output.ts'
import type { ServerFlags } from '../run.ts'

/** The formats of `audit export`. */
export const EXPORT_FORMATS = ['ndjson', 'csv', 'ocsf'] as const

/** The flags that choose entries. */
export interface FilterFlags extends ServerFlags {
  readonly actor?: string
  readonly client?: string
  readonly user?: string
  readonly event?: string
  readonly since?: string
}

export interface TrailExportFlags extends FilterFlags {
  readonly format: (typeof EXPORT_FORMATS)[number]
}

/** The longest page that the API answers. */
export const MAX_PER_PAGE = 200
const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The command `audit tail`. */
export async function tailEntries(calls: Calls, { limit }: { readonly limit: number }): Promise<Report> {
  const { items } = await calls.call('list_events', { limit })
  const entries = [...items].reverse()
  return { text: textOf(entries), json: { items: entries } }
}

/** The command `audit search`. */
export async function searchEntries(
  calls: Calls,
  flags: FilterFlags & { readonly limit: number; readonly cursor?: string },
): Promise<Report> {
  const { limit, cursor } = flags
  const { items, next } = await calls.call('list_events', {
    query: queryOf(flags, calls.now),
    cursor,
    limit,
  })
  const more = next === undefined ? '' : ` There may be more: add --cursor ${next}`
  return { text: textOf(items) + more, json: { items, ...(next !== undefined && { next }) } }
}

/** The command `audit export`: prints the entries as they come. @param print prints a line */
export async function exportEntries(
  calls: Calls,
  flags: TrailExportFlags,
  print: (text: string) => Promise<void>,
): Promise<Report> {
  const query = { ...queryOf(flags, calls.now), order: 'oldest' }
  const lineOf = LINES[flags.format]
  let exported = 0
  let last = flags.format === 'csv' ? CSV_HEAD : undefined
  let cursor: string | undefined
  do {
    const page: Entries = await calls.call('list_events', { query, cursor, limit: MAX_PER_PAGE })
    for (const entry of page.items) {
      if (last !== undefined) await print(last)
      last = lineOf(entry)
      exported += 1
    }
    cursor = page.next
  } while (cursor !== undefined)
  return { text: last ?? '', json: { exported } }
}

const LINES: Readonly<Record<TrailExportFlags['format'], (entry: AuditEntry) => string>> = {
  ndjson: jsonLine,
  csv: (entry) => printableText(csvLine(entry).replaceAll('\n', ' ')),
  ocsf: (entry) => jsonLine(toOcsf(entry)),
}

function textOf(entries: readonly AuditEntry[]): string {
  const rows = entries.map(({ at, event, actor, targets, context }) => [
    at,
    event,
    `${actor.username ?? actor.id ?? actor.kind} (${actor.via})`,
    targets.map(({ kind, id, username }) => `${kind} ${username ?? id}`).join(', '),
    [context.address, context.browser].filter(Boolean).join(', '),
  ])
  const texts = { none: 'There are no such entries.', noun: 'entry' }
  return listed(['TIME', 'EVENT', 'WHO', 'WHAT', 'FROM'], rows, texts)
}

function queryOf(
  { actor, client, user, event, since }: FilterFlags,
  now: number,
): NonNullable<CallInput<'list_events'>['query']> {
  const given = { actor, client_id: client, username: user, event, since: since && timeOf(since, now) }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** Returns a time in ISO 8601. @throws UsageError */
function timeOf(text: string, now: number): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const at = count === undefined ? Date.parse(text) : now - Number(count) * (UNITS[unit] ?? 0)
  if (Number.isNaN(at)) throw new UsageError('--since must be a time in ISO 8601, or like 30m, 24h or 7d.')
  return new Date(at).toISOString()
}
