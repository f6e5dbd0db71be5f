import type { GrantAnswer } from '../../src/admin/access/grants.ts'
import type { EndedCount } from '../../src/admin/access/page.ts'
import { count } from '../../src/core/count.ts'
import { allItems, type Calls } from '../calls.ts'
import { JWT_NOTE } from '../end-all.ts'
import { UsageError } from '../errors.ts'
import { type Report, table } from '../output.ts'
import { when } from './when.ts'

/** Whose grants they are: of one user, or of one client. */
export interface OwnerFlags {
  readonly user?: string
  readonly client?: string
}

/** The commands `grant list`, `token list` and `user grants`. @throws UsageError unless the flags name one owner */
export async function showGrants(calls: Calls, flags: OwnerFlags): Promise<Report> {
  const { of, params } = ownerOf(flags)
  const grants = await allItems<GrantAnswer>(calls, `list_grants_of_${of}`, { params })
  const rows = grants.map((grant) => [
    grant.grant,
    grant.username ?? '',
    grant.client_id,
    grant.scope,
    grant.resources.join(' '),
    Object.keys(grant.bound_to ?? {}).join(' '),
    when(grant.started_at, calls.now),
    when(grant.last_used_at, calls.now),
    when(grant.expires_at, calls.now),
  ])
  const head = [
    'GRANT',
    'USER',
    'CLIENT',
    'SCOPE',
    'RESOURCES',
    'BOUND TO',
    'STARTED',
    'LAST USED',
    'EXPIRES',
  ]
  return { text: grants.length === 0 ? 'There are no grants.' : table(head, rows), json: { grants } }
}

/** The command `grant end`. `grant` undefined: all of the owner. @throws UsageError unless the flags name one owner */
export async function endGrants({ call }: Calls, flags: OwnerFlags, grant?: string): Promise<Report> {
  const { of, params } = ownerOf(flags)
  const { ended } = await (grant === undefined
    ? call<EndedCount>(`end_grants_of_${of}`, { params })
    : call<EndedCount>(`end_grant_of_${of}`, { params: { ...params, grant } }))
  const text =
    ended === 0 ? 'There was no grant.' : `Ended: ${count(ended, 'grant')}, with all tokens. ${JWT_NOTE}`
  return { text, json: { ...params, ended } }
}

function ownerOf({ user, client }: OwnerFlags): { of: 'user' | 'client'; params: Record<string, string> } {
  if ((user === undefined) === (client === undefined))
    throw new UsageError('Give either --user or --client: whose grants are meant.')
  return user === undefined
    ? { of: 'client', params: { client_id: client ?? '' } }
    : { of: 'user', params: { username: user } }
}
