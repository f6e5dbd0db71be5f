import { CSV_HEAD, csvLine } from '../audit/csv.ts'
import type { AuditEntry } from '../audit/entry.ts'
import { csvLineOf } from '../core/csv.ts'
import type { Desk } from './desk.ts'
import type { Application } from './rooms/applications.ts'
import type { Person } from './rooms/people.ts'

/** A list as a file of CSV (RFC 4180). */
export interface ConsoleExport {
  /** Below the console. */
  readonly path: `/export/${string}.csv`
  /** The operation that lists, whose right it needs. */
  readonly operation: string
  /** The names of filters that the address may have. */
  readonly filters: readonly string[]
  readonly head: string
  line(item: never): string
}

/** How many rows a file has at most. */
const MAX_ROWS = 10_000
const PER_PAGE = '200'

const lineOf = (cells: readonly unknown[]) =>
  csvLineOf(cells.map((cell) => (cell === undefined ? undefined : String(cell))))

export const CONSOLE_EXPORTS: readonly ConsoleExport[] = [
  {
    path: '/export/people.csv',
    operation: 'list_users',
    filters: ['q'],
    head: 'username,sub,name,email,email_verified,state,last_sign_in_at,second_factor,admin',
    line: ({ username, sub, claims = {}, state, last_sign_in_at, second_factor, admin }: Person) =>
      lineOf([
        ...[username, sub, claims.name, claims.email, claims.email_verified],
        ...[state, last_sign_in_at, second_factor, admin?.join(' ')],
      ]),
  },
  {
    path: '/export/applications.csv',
    operation: 'list_clients',
    filters: ['q'],
    head: 'client_id,client_name,is_public,grant_types,redirect_uris,allowed_groups,state',
    line: ({
      client_id,
      client_name,
      is_public,
      grant_types,
      redirect_uris,
      allowed_groups,
      state,
    }: Application) =>
      lineOf([
        ...[client_id, client_name, is_public],
        Array.isArray(grant_types) ? grant_types.join(' ') : undefined,
        ...[redirect_uris?.join(' '), allowed_groups?.join(' '), state],
      ]),
  },
  {
    path: '/export/events.csv',
    operation: 'list_events',
    filters: ['event', 'actor', 'username', 'client_id', 'since', 'request_id'],
    head: CSV_HEAD,
    line: (entry: AuditEntry) => csvLine(entry),
  },
]

interface Page {
  readonly items: readonly unknown[]
  readonly next?: string
}

/** Returns the first page, so that what is refused is refused before the file begins. @throws AdminError; StorageUnavailable */
export async function beginExport(
  desk: Desk,
  { operation, filters, head, line }: ConsoleExport,
  given: Readonly<Record<string, string | undefined>>,
): Promise<AsyncGenerator<string>> {
  const filter = Object.fromEntries(filters.map((name) => [name, given[name]]))
  const read = async (cursor?: string) =>
    (await desk.ask<Page>(operation, { query: { ...filter, limit: PER_PAGE, cursor } })).body
  const first = await read()
  return (async function* () {
    yield `${head}\r\n`
    let page = first
    for (let rows = 0; ; ) {
      for (const item of page.items.slice(0, MAX_ROWS - rows)) yield `${line(item as never)}\r\n`
      rows += page.items.length
      if (page.next === undefined || rows >= MAX_ROWS) return
      page = await read(page.next)
    }
  })()
}
