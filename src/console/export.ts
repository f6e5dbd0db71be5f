import type { Page } from '../admin/operation/list.ts'
import type { ItemOf, ListOperation, OperationName, QueryName } from '../admin/operations.ts'
import { CSV_HEAD, csvLine } from '../audit/csv.ts'
import { csvLineOf } from '../core/csv.ts'
import type { Desk, OperationInput } from './desk.ts'

/** A list as a file of CSV (RFC 4180). */
export interface ConsoleExport {
  /** Below the console. */
  readonly path: `/export/${string}.csv`
  /** The operation that lists, whose right it needs. */
  readonly operation: OperationName
  /** The names of filters that the address may have. */
  readonly filters: readonly string[]
  readonly head: string
  /** Returns the lines of a page, and where the next one begins. */
  read(desk: Desk, query: Filter): Promise<{ readonly lines: readonly string[]; readonly next?: string }>
}

type Filter = Readonly<Record<string, string | undefined>>

interface ExportRow<Name extends ListOperation> extends Omit<ConsoleExport, 'read'> {
  readonly operation: Name
  readonly filters: readonly (string & QueryName<Name>)[]
  line(item: ItemOf<Name>): string
}

function exportOf<const Name extends ListOperation>(row: ExportRow<Name>): ConsoleExport {
  return {
    ...row,
    async read(desk, query) {
      const { body } = await desk.ask(row.operation, { query } as OperationInput<Name>)
      const { items, next } = body as Page<ItemOf<Name>>
      return { lines: items.map((item) => row.line(item)), ...(next !== undefined && { next }) }
    },
  }
}

/** How many rows a file has at most. */
const MAX_ROWS = 10_000
const PER_PAGE = '200'

const lineOf = (cells: readonly unknown[]) =>
  csvLineOf(cells.map((cell) => (cell === undefined ? undefined : String(cell))))

export const CONSOLE_EXPORTS: readonly ConsoleExport[] = [
  exportOf({
    path: '/export/people.csv',
    operation: 'list_users',
    filters: ['q'],
    head: 'username,sub,name,email,email_verified,state,last_sign_in_at,second_factor,admin',
    line: ({ username, sub, claims = {}, state, last_sign_in_at, second_factor, admin }) =>
      lineOf([
        ...[username, sub, claims.name, claims.email, claims.email_verified],
        ...[state, last_sign_in_at, second_factor, admin?.join(' ')],
      ]),
  }),
  exportOf({
    path: '/export/applications.csv',
    operation: 'list_clients',
    filters: ['q'],
    head: 'client_id,client_name,is_public,grant_types,redirect_uris,allowed_groups,state',
    line: ({ client_id, client_name, is_public, grant_types, redirect_uris, allowed_groups, state }) =>
      lineOf([
        ...[client_id, client_name, is_public],
        Array.isArray(grant_types) ? grant_types.join(' ') : undefined,
        ...[redirect_uris?.join(' '), allowed_groups?.join(' '), state],
      ]),
  }),
  exportOf({
    path: '/export/events.csv',
    operation: 'list_events',
    filters: ['event', 'actor', 'username', 'client_id', 'since', 'request_id'],
    head: CSV_HEAD,
    line: csvLine,
  }),
]

/**
 * Returns the first page, so that what is refused is refused before the file begins.
 * @throws AdminError; StorageUnavailable
 */
export async function beginExport(
  desk: Desk,
  { filters, head, read }: ConsoleExport,
  given: Filter,
): Promise<AsyncGenerator<string>> {
  const filter = Object.fromEntries(filters.map((name) => [name, given[name]]))
  const pageAt = (cursor?: string) => read(desk, { ...filter, limit: PER_PAGE, cursor })
  const first = await pageAt()
  return (async function* () {
    yield `${head}\r\n`
    let page = first
    for (let rows = 0; ; ) {
      for (const line of page.lines.slice(0, MAX_ROWS - rows)) yield `${line}\r\n`
      rows += page.lines.length
      if (page.next === undefined || rows >= MAX_ROWS) return
      page = await pageAt(page.next)
    }
  })()
}
