import type { GrantWithActing } from '../../src/admin/access/acting.ts'
import { type ActingNode, actingTree } from '../../src/admin/access/acting-tree.ts'
import { detailLines } from '../../src/admin/access/detail-lines.ts'
import { count } from '../../src/core/count.ts'
import { allItems, type Calls } from '../calls.ts'
import { printable, type Report } from '../output.ts'
import { when } from '../when.ts'
import type { Owner } from './reports.ts'

/** The command `grant show`. */
export async function showGrant({ call, now }: Calls, grant: string): Promise<Report> {
  const answer = await call('read_grant', { params: { grant } })
  const none = answer.acting.length === 0 ? ['Nobody acts by it: no live token was exchanged for it.'] : []
  return { text: [...linesOf(answer, now), ...none].join('\n'), json: answer }
}

/** The command `grant acting`. */
export async function showActing(calls: Calls, owner: Owner): Promise<Report> {
  const items = await ('username' in owner
    ? allItems(calls, 'list_acting_for_user', { params: owner })
    : allItems(calls, 'list_acting_from_client', { params: owner }))
  const trees = items.map((item) => linesOf(item, calls.now).join('\n'))
  const tokens = items.reduce((sum, { acting }) => sum + acting.length, 0)
  const text =
    items.length === 0
      ? 'Nobody acts: no live token was exchanged.'
      : [...trees, `${count(tokens, 'token')} in ${count(items.length, 'grant')}.`].join('\n\n')
  return { text, json: { items } }
}

/** The command `grant end-acting`. */
export async function endActing(
  { call }: Calls,
  client_id: string,
  of: { readonly grant: string } | { readonly username: string },
): Promise<Report> {
  const { ended } = await ('grant' in of
    ? call('end_acting_in_grant', { params: { ...of, client_id } })
    : call('end_acting_for_user', { params: { ...of, client_id } }))
  const text = `${printable(client_id)} gets no further token by exchange there. Ended: ${count(ended, 'token')}.`
  return { text, json: { ended } }
}

/** A sign-in, and below it who acts by it, each below those who called it. */
function linesOf(
  { grant, username, client_id, scope, authorization_details, started_at, acting }: GrantWithActing,
  now: number,
): string[] {
  const since = started_at === undefined ? '' : `, since ${when(started_at, now)}`
  const whose = username === undefined ? client_id : `${username} at ${client_id}`
  const head = `${grant}  ${printable(whose)}${since}: ${printable(scope) || 'no scope'}`
  return [
    head,
    ...detailRows(authorization_details),
    ...actingTree(acting).flatMap((node, i, all) => branch(node, i === all.length - 1, now)),
  ]
}

/** What is allowed in detail, below what it is of. */
const detailRows = (details: GrantWithActing['authorization_details']): string[] =>
  detailLines(details).map((text) => `   ${printable(text)}`)

function branch({ token, next }: ActingNode, is_last: boolean, now: number): string[] {
  const { client_id, actors, scope, audience, expires_at } = token
  const says = actors.length === 0 ? `${client_id} has a narrower token` : `${client_id} acts`
  const at = audience.length === 0 ? 'this server' : audience.join(' ')
  const line = `${printable(`${says} at ${at}: ${scope}`)}, until ${when(expires_at, now)}`
  const below = next.flatMap((node, i) => branch(node, i === next.length - 1, now))
  const own = detailRows(token.authorization_details)
  return [
    `${is_last ? '└─' : '├─'} ${line}`,
    ...[...own, ...below].map((one) => `${is_last ? '  ' : '│ '} ${one}`),
  ]
}
