import type { GrantWithActing, ShownActingToken } from '../../admin/access/acting.ts'
import { type ActingNode, actingTree } from '../../admin/access/acting-tree.ts'
import { type Html, html } from '../../pages/html.ts'
import type { Desk } from '../desk.ts'
import { detailChips } from './detail-chips.ts'
import { applicationLink, at, link, personLink, text, when } from './parts.ts'

type Listed = Pick<GrantWithActing, 'acting_until'>

/** Whether others may act by one of some sign-ins: only then it is worth to ask who. */
export const mayAct = (grants: readonly Listed[], now: number): boolean =>
  grants.some(({ acting_until = '' }) => Date.parse(acting_until) > now)

/** The sign-ins in which somebody acts, each with a tree of those who act, below those that called them. */
export const actingTrees = (desk: Desk, grants: readonly GrantWithActing[]): Html =>
  html`${grants.map((grant) => tree(desk, grant))}`

function tree(
  desk: Desk,
  { grant, username, client_id, authorization_details, started_at, acting }: GrantWithActing,
): Html {
  const whose = username === undefined ? '' : html` of ${personLink(desk, username)}`
  return html`<div class="inside tree"><p><b>Sign-in${whose} to ${applicationLink(desk, client_id)}</b> <span class="quiet">${when(started_at, desk)} <code>${grant}</code></span></p>${detailChips(authorization_details)}
<ul>
${actingTree(acting).map((node) => branch(desk, grant, node))}</ul></div>
`
}

function branch(desk: Desk, grant: string, { token, next }: ActingNode): Html {
  const below = next.length === 0 ? '' : html`\n<ul>\n${next.map((one) => branch(desk, grant, one))}</ul>`
  return html`<li>${actingWords(desk, token)}${endLink(desk, grant, token)}${below}</li>\n`
}

/** Who acts, at which API, and until when. */
function actingWords(
  desk: Desk,
  { client_id, actors, audience, scope, authorization_details, expires_at }: ShownActingToken,
): Html {
  const does = actors.length === 0 ? ' has a narrower token' : ' acts'
  const api = audience.length === 0 ? 'this server' : audience.join(' ')
  return html`${applicationLink(desk, client_id)}${does} at ${text(api)} <span class="quiet">may ${text(scope)}, ends ${when(expires_at, desk)}</span>${detailChips(authorization_details)}`
}

const endLink = (desk: Desk, grant: string, { client_id, actors }: ShownActingToken): Html | '' =>
  actors.length === 0 || !desk.may('end_acting_in_grant')
    ? ''
    : html` ${link(desk, at`/sign-ins/${grant}/acting/${client_id}/end`, 'End')}`
