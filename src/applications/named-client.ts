import type { ClientId } from '../core/ids.ts'

const ENTRY = /^([\x21-\x3C\x3E-\x7E]{1,255})(?:=([\x21-\x3C\x3E-\x7E]{1,255}))?$/

/** Returns the problem of an entry of the clients of a server elsewhere, as text that completes "<field> …". */
export function namedClientProblem(entry: string): string | undefined {
  return ENTRY.test(entry)
    ? undefined
    : 'is neither a client_id nor two with = between them, without spaces and other = in them'
}

/** Returns what the server elsewhere calls a client; undefined: none of the entries names the client. */
export function idElsewhere(entries: readonly string[], client_id: ClientId): string | undefined {
  for (const entry of entries) {
    const [, here, there = here] = ENTRY.exec(entry) ?? []
    if (here === client_id) return there
  }
  return undefined
}

/** Returns the client_id here of an entry. */
export const idHere = (entry: string): ClientId => ENTRY.exec(entry)?.[1] ?? entry
