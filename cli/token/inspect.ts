import type { TokenContext } from '../../src/admin/tokens/context.ts'
import type { TokenFacts } from '../../src/admin/tokens/explanation.ts'
import { type GrantDescription, inspectToken } from '../../src/admin/tokens/inspect.ts'
import type { Confirmation } from '../../src/core/confirmation.ts'
import { instant } from '../../src/core/instant.ts'
import { adminContext } from '../admin-context.ts'
import { EXIT } from '../errors.ts'
import { pairs, type Report } from '../output.ts'
import type { CommandContext } from '../run.ts'

/** The command `token inspect`. */
export async function inspect(context: CommandContext, token: string): Promise<Report> {
  const { accepted, reasons, facts, grant } = await inspectToken(tokenContext(context), token)
  return {
    text: [
      accepted ? `Accepted: ${sentenceOn(facts)}.` : `Not accepted: ${reasons.join('; ')}.`,
      '',
      pairs(factRows(facts, grant, context.now, accepted)),
    ].join('\n'),
    json: { accepted, reasons, ...facts, ...(grant === undefined ? {} : { grant }) },
    ...(accepted ? {} : { exit: EXIT.refused }),
  }
}

/** Returns what operations on tokens work with, for a command: servers may have another TOKENS_AT_REST. */
export function tokenContext(context: CommandContext): TokenContext {
  return { ...adminContext(context), openOtherForm: context.openOtherForm }
}

// An API refuses a token that is bound if it comes alone.
function sentenceOn({ confirmation }: TokenFacts): string {
  const accepted = 'a protected API accepts this token'
  const needed = boundTo(confirmation).map(([, how]) => how)
  return needed.length === 0 ? accepted : `${accepted} with ${needed.join(' and with ')}, and not without`
}

/** The things that a token is bound to, each with how a request shows it. */
function boundTo({ jkt, 'x5t#S256': certificate }: Confirmation = {}): [thing: string, how: string][] {
  const things: [string, string][] = []
  if (jkt !== undefined) things.push([`DPoP key ${jkt}`, 'a DPoP proof of its key'])
  if (certificate !== undefined) things.push([`client certificate ${certificate}`, 'its client certificate'])
  return things
}

function factRows(
  { form, type, client_id, subject, scope, audience, confirmation, expires_at }: TokenFacts,
  grant: GrantDescription | undefined,
  now: number,
  proven: boolean,
): [name: string, value: string][] {
  const things = boundTo(confirmation).map(([thing]) => thing)
  const entries: [name: string, value: string | undefined][] = [
    ['form', form === 'jwt' && !proven ? 'jwt; the values below are not proven' : form],
    ['type', type],
    ['client', client_id],
    ['subject', subject === '' ? 'empty: the client acts for itself' : subject],
    ['scope', scope === '' ? 'empty' : scope],
    ['audience', audience?.join(' ')],
    ['bound to', things.length === 0 ? undefined : things.join(', ')],
    ['expires', expires_at && instant(expires_at, now)],
    ['grant', grant && `${grant.id}, ${describeStatus(grant.status)}`],
  ]
  return entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
}

function describeStatus(status: string): string {
  return status === 'none' ? 'no sign-in recorded' : status
}
