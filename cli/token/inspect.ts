import { detailLines } from '../../src/admin/access/detail-lines.ts'
import type { InspectAnswer } from '../../src/admin/tokens/operations.ts'
import type { KeyConfirmation } from '../../src/core/confirmation.ts'
import { present } from '../../src/core/present.ts'
import type { Calls } from '../calls.ts'
import { EXIT } from '../errors.ts'
import { pairs, type Report } from '../output.ts'
import { when } from '../when.ts'

/** The command `token inspect`. */
export async function inspect({ call, now }: Calls, token: string): Promise<Report> {
  const answer = await call('inspect_token', { body: { token } })
  const { active, accepted_by_apis: accepted, reason: _, reasons, bound_to: confirmation, ...facts } = answer
  return {
    text: [
      accepted ? `Accepted: ${sentenceOn(confirmation)}.` : `Not accepted: ${reasons.join('; ')}.`,
      '',
      pairs(factRows(answer, now)),
    ].join('\n'),
    json: present({ accepted, active, reasons, ...facts, confirmation }),
    ...(accepted ? {} : { exit: EXIT.refused }),
  }
}

// An API refuses a token that is bound if it comes alone.
function sentenceOn(confirmation: KeyConfirmation | undefined): string {
  const accepted = 'a protected API accepts this token'
  const needed = boundTo(confirmation).map(([, how]) => how)
  return needed.length === 0 ? accepted : `${accepted} with ${needed.join(' and with ')}, and not without`
}

/** The things that a token is bound to, each with how a request shows it. */
function boundTo({ jkt, 'x5t#S256': certificate }: KeyConfirmation = {}): [thing: string, how: string][] {
  const things: [string, string][] = []
  if (jkt !== undefined) things.push([`DPoP key ${jkt}`, 'a DPoP proof of its key'])
  if (certificate !== undefined) things.push([`client certificate ${certificate}`, 'its client certificate'])
  return things
}

function factRows(answer: InspectAnswer, now: number): [name: string, value: string][] {
  const { actors, exchanged_for } = answer
  const { accepted_by_apis, form, type, client_id, subject, scope, audience, bound_to, expires_at, grant } =
    answer
  const things = boundTo(bound_to).map(([thing]) => thing)
  const entries: [name: string, value: string | undefined][] = [
    ['form', form === 'jwt' && !accepted_by_apis ? 'jwt; the values below are not proven' : form],
    ['type', type],
    ['client', client_id],
    ['subject', subject === '' ? 'empty: the client acts for itself' : subject],
    [
      'acting',
      actors?.map(({ sub, iss }) => (iss === undefined ? sub : `${sub} of ${iss}`)).join(', called by '),
    ],
    ['exchanged for', exchanged_for?.map(originText).join(', that for ')],
    ['scope', scope === '' ? 'empty' : scope],
    ['details', answer.authorization_details && detailLines(answer.authorization_details).join(', ')],
    ['audience', audience?.join(' ')],
    ['bound to', things.length === 0 ? undefined : things.join(', ')],
    ['expires', expires_at && when(expires_at, now)],
    ['grant', grant && `${grant.id}, ${describeStatus(grant.status)}`],
  ]
  return entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
}

type Origin = NonNullable<InspectAnswer['exchanged_for']>[number]

const STATES = { live: '', revoked: ', which ended', gone: ', which is gone' } as const
const originText = ({ client_id, state }: Origin): string =>
  `${client_id === undefined ? 'a token' : `one of ${client_id}`}${STATES[state]}`

function describeStatus(status: string): string {
  return status === 'none' ? 'no sign-in recorded' : status
}
