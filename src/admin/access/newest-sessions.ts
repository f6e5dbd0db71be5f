import { type Static, Type } from '@sinclair/typebox'
import { nameForm } from '../../core/visible-text.ts'
import { NEWEST } from '../../sessions/newest-sessions.ts'
import { hasEnded } from '../../sessions/session.ts'
import { SESSION, type SessionRecord } from '../../sessions/session-record.ts'
import { cursorAfter, isListCursor, type ListedEntry } from '../../storage/lists.ts'
import { recordOf } from '../../storage/records.ts'
import { DEFAULT_LIMIT } from '../operation/list.ts'
import { AdminError } from '../operation/problem.ts'
import { type AccessContext, type Holders, holdersOf } from './context.ts'
import type { AccessPage, PageRequested } from './page.ts'
import { describeSession, SessionAnswer } from './sessions.ts'

export const NewestSessionAnswer = Type.Composite(
  [
    Type.Object({
      username: Type.String(),
      name: Type.Optional(
        Type.String({ description: 'what the person is called; absent: the account has no name' }),
      ),
    }),
    SessionAnswer,
  ],
  { additionalProperties: false },
)
export type NewestSessionAnswer = Static<typeof NewestSessionAnswer>

/** The query of the list. */
export const SESSION_FILTER = Type.Object({
  username: Type.Optional(Type.String({ minLength: 1, maxLength: 1024, description: 'only of this user' })),
  sid: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: 'only this one' })),
  client_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2048, description: 'only those used for this client' }),
  ),
  address: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'only those that started there: an IPv4 address, or the network of an IPv6 address',
    }),
  ),
})
export type SessionFilter = Static<typeof SESSION_FILTER>

/** With a filter so many sessions are read at once: the whole list in a few round trips. */
const FILTERED_PART = 250
const MAX_PARTS = 5

interface Read {
  readonly entry: ListedEntry
  readonly session: SessionRecord
}

/**
 * Returns a page of the newest sessions of everybody that pass a filter, the newest first.
 * @throws AdminError `invalid_cursor`; StorageUnavailable
 */
export async function listNewestSessions(
  context: AccessContext,
  filter: SessionFilter,
  { cursor, limit = DEFAULT_LIMIT }: PageRequested,
): Promise<AccessPage<NewestSessionAnswer>> {
  if (cursor !== undefined && !isListCursor(cursor))
    throw new AdminError('invalid_cursor', 'The cursor is not of this list.')
  const passes = testOf(filter)
  const size = Object.keys(filter).length === 0 ? limit : FILTERED_PART
  const holders = holdersOf(context)
  const items: NewestSessionAnswer[] = []
  let after = cursor
  for (let parts = 0; parts < MAX_PARTS && items.length < limit; parts += 1) {
    const { entries, next } = await context.storage.lists.page(NEWEST, { after, limit: size })
    const wanted = (await readAll(context, entries)).filter(({ session }) => passes(session))
    const taken = wanted.slice(0, limit - items.length)
    items.push(...(await described(taken, holders)))
    const last = taken.at(-1)
    after = taken.length < wanted.length && last !== undefined ? cursorAfter(last.entry) : next
    if (after === undefined) break
  }
  return { items, ...(after !== undefined && { next: after }) }
}

function testOf({ username, sid, client_id, address }: SessionFilter): (session: SessionRecord) => boolean {
  const name = username === undefined ? undefined : nameForm(username)
  return (session) =>
    (name === undefined || session.username === name) &&
    (sid === undefined || session.sid === sid) &&
    (client_id === undefined || session.clients.has(client_id)) &&
    (address === undefined || session.address === address)
}

/** Reads sessions; entries of those that are over, or were replaced, are removed. */
async function readAll({ storage }: AccessContext, entries: readonly ListedEntry[]): Promise<Read[]> {
  const over: string[] = []
  const read = await Promise.all(
    entries.map(async (entry): Promise<Read[]> => {
      const session = recordOf(await storage.records.read(SESSION, entry.id))
      if (session === undefined) over.push(entry.id)
      return session === undefined ? [] : [{ entry, session }]
    }),
  )
  await storage.lists.remove(NEWEST, ...over)
  return read.flat()
}

/** Leaves out those that a mark of their user refuses. */
async function described(read: readonly Read[], holders: Holders): Promise<NewestSessionAnswer[]> {
  const answers = read.map(async ({ session }): Promise<NewestSessionAnswer[]> => {
    const { username, sub } = session
    const user = await holders.user(username)
    if (user !== undefined && (user.sub !== sub || hasEnded(session, user))) return []
    const name = user?.claims.name
    return [{ username, ...(name && { name }), ...describeSession(session) }]
  })
  return (await Promise.all(answers)).flat()
}
