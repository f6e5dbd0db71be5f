import { endingsContext } from '../../src/admin/access/context.ts'
import type { GrantAnswer, GrantOwner } from '../../src/admin/access/grants.ts'
import { endGrantsOf, endOneGrant, listGrants } from '../../src/admin/access/grants.ts'
import type { AccessPage, EndedCount, Wanted } from '../../src/admin/access/page.ts'
import {
  endAllSessions,
  endOneSession,
  endSessionsOf,
  listSessions,
} from '../../src/admin/access/sessions.ts'
import type { AdminContext } from '../../src/admin/operation.ts'
import { AdminError } from '../../src/admin/problem.ts'
import { count } from '../../src/core/count.ts'
import { workOffEndings } from '../../src/logout/endings.ts'
import { JWT_NOTE } from '../end-all.ts'
import { Refusal } from '../errors.ts'
import { type Report, table } from '../output.ts'
import type { CommandContext } from '../run.ts'

const PAGE = 200

/** The command `user sessions`. @throws Refusal if the user does not exist */
export async function showSessions(context: CommandContext, username: string): Promise<Report> {
  const items = await allOf((wanted) => listSessions(asAdmin(context), username, wanted))
  const rows = items.map(
    ({ sid, started_at, last_used_at = '', browser = '', address = '', amr, clients }) => [
      ...[sid, started_at, last_used_at, browser, address, amr.join(' '), clients.join(' ')],
    ],
  )
  const head = ['SID', 'STARTED', 'LAST USED', 'BROWSER', 'ADDRESS', 'AMR', 'CLIENTS']
  return { text: rows.length === 0 ? 'The user is signed in nowhere.' : table(head, rows), json: { items } }
}

/** The commands that list grants. @throws Refusal if the user or client does not exist */
export async function showGrants(context: CommandContext, owner: GrantOwner): Promise<Report> {
  const items = await allOf((wanted) => listGrants(asAdmin(context), owner, wanted))
  const head = ['GRANT', 'username' in owner ? 'CLIENT' : 'USER', 'SCOPE', 'STARTED', 'LAST USED', 'EXPIRES']
  const rows = items.map((item) => rowOf(item, owner))
  return { text: rows.length === 0 ? 'There are no grants.' : table(head, rows), json: { items } }
}

function rowOf(item: GrantAnswer, owner: GrantOwner): string[] {
  const { grant, username = '', client_id, scope, started_at = '', last_used_at = '', expires_at = '' } = item
  return [grant, 'username' in owner ? client_id : username, scope, started_at, last_used_at, expires_at]
}

/** The command `session end`. Without `sid` it ends all sessions of the user. @throws Refusal if there is none */
export async function endSessions(
  context: CommandContext,
  username: string,
  sid: string | undefined,
): Promise<Report> {
  const end = (admin: AdminContext) =>
    sid === undefined ? endSessionsOf(admin, username) : endOneSession(admin, username, sid)
  return endedReport('session', await ending(context, end))
}

/** The command `session end-all`. @throws Refusal if it was done within the last minute */
export async function endSessionsOfAll(context: CommandContext): Promise<Report> {
  await ending(context, endAllSessions)
  return { text: `All sessions of all users are ended. ${JWT_NOTE}`, json: { ended: 'all-sessions' } }
}

/** The command `grant end`. @throws Refusal if there is no such grant, user or client */
export async function endGrant(context: CommandContext, grant: string): Promise<Report> {
  return endedReport('grant', await ending(context, (admin) => endOneGrant(admin, {}, grant)))
}

/** The command `grant end` for all grants of a user or client. @throws as endGrant */
export async function endGrants(context: CommandContext, owner: GrantOwner): Promise<Report> {
  return endedReport('grant', await ending(context, (admin) => endGrantsOf(admin, owner)))
}

function endedReport(noun: string, { ended }: EndedCount): Report {
  const text = ended === 0 ? 'There was nothing to end.' : `Ended: ${count(ended, noun)}. ${JWT_NOTE}`
  return { text, json: { ended } }
}

/** Ends something, and does what servers would do in the background: there may be none that runs. */
async function ending<T>(context: CommandContext, end: (admin: AdminContext) => Promise<T>): Promise<T> {
  const admin = asAdmin(context)
  const done = await refusing(() => end(admin))
  await workOffEndings(endingsContext(admin))
  return done
}

async function allOf<T>(page: (wanted: Wanted) => Promise<AccessPage<T>>): Promise<T[]> {
  const items: T[] = []
  let cursor: string | undefined
  do {
    const part = await refusing(() => page({ cursor, limit: PAGE }))
    items.push(...part.items)
    cursor = part.next
  } while (cursor !== undefined)
  return items
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof AdminError ? new Refusal(error.message) : error
  }
}

function asAdmin({ storage, config, report, now }: CommandContext): AdminContext {
  const caller = { kind: 'command', id: '', scopes: new Set<string>() } as const
  return { storage, settings: config.settings, caller, report, now: () => now }
}
