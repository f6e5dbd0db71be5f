import { CLIENT } from '../../src/clients/record/client-kind.ts'
import type { Confirmation } from '../../src/core/confirmation.ts'
import { instant } from '../../src/core/instant.ts'
import { describeProblem, type Hash } from '../../src/core/record-hash.ts'
import { parseToken } from '../../src/core/token-string.ts'
import { looksLikeJwt } from '../../src/keys/jwt-reader.ts'
import { isOfRefreshFamily } from '../../src/storage/family-digests.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { INVALID_SIGNATURE } from '../../src/tokens/jws.ts'
import { parseTokenRecord } from '../../src/tokens/token-record.ts'
import { describeClient } from '../client/show.ts'
import { EXIT } from '../errors.ts'
import { pairs, type Report } from '../output.ts'
import type { CommandContext } from '../run.ts'
import type { Explanation, TokenFacts } from './explanation.ts'
import { explainJwt, jtiOf } from './jwt.ts'
import { whereRecorded } from './stored-form.ts'
import { validateAsServer } from './validation.ts'

/**
 * The command `token inspect`. A server's function validates the token; the reasons come from separate checks.
 */
export async function inspectToken(given: CommandContext, token: string): Promise<Report> {
  const context = await whereRecorded(given, jtiOf(token) ?? token)
  const verdict = await validateAsServer(context, token)
  const { reasons: own, facts } = await (looksLikeJwt(token) ? explainJwt : explainOpaque)(context, token)
  const reasons = [...own, ...(await explainClient(context.storage, facts.client_id))]
  const grant = facts.grant === undefined ? undefined : await describeGrant(context.storage, facts.grant)
  const shown = verdict.valid ? [] : addServerReason(reasons, verdict.reason)
  return {
    text: [
      verdict.valid ? `Accepted: ${sentenceOn(facts)}.` : `Not accepted: ${shown.join('; ')}.`,
      '',
      pairs(factRows(facts, grant, context.now, verdict.valid)),
    ].join('\n'),
    json: {
      accepted: verdict.valid,
      reasons: shown,
      ...facts,
      ...(grant === undefined ? {} : { grant }),
    },
    ...(verdict.valid ? {} : { exit: EXIT.refused }),
  }
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

/**
 * Adds the server's reason if the token is not accepted because of its signature, which is not checked here, or if there
 * is no other reason.
 */
export function addServerReason(reasons: readonly string[], reason: string): readonly string[] {
  if (reason === INVALID_SIGNATURE) {
    return [`${INVALID_SIGNATURE}: the token was changed, or signed by another issuer`, ...reasons]
  }
  return reasons.length > 0 ? reasons : [reason]
}

async function explainOpaque({ storage, now }: CommandContext, token: string): Promise<Explanation> {
  const grant = parseToken(token)?.family
  if (grant === undefined) {
    const reason =
      'it does not have the form of a token: an opaque token has 16 characters, a dot and 43 characters, a JWT has three parts'
    return { reasons: [reason], facts: { form: 'unknown' } }
  }
  const { token: hash, family = {} } = await storage.families.findTokenAndFamily(token)
  if (hash === undefined) {
    const reason = isOfRefreshFamily(family, token)
      ? `it is a refresh token of this sign-in that was replaced by a refresh, or expired${lastRefresh(family, now)}`
      : 'the token is unknown: it was never issued here, or it expired and was deleted'
    return { reasons: [reason], facts: { form: 'opaque', grant } }
  }
  const parsed = parseTokenRecord(token, hash)
  if (!parsed.ok) {
    const problems = parsed.problems.map(describeProblem).join('; ')
    return { reasons: [`its record is malformed: ${problems}`], facts: { ...rawFacts(hash), grant } }
  }
  const { revoked, jti: _, ...record } = parsed.record
  const { type, expires_at } = record
  const reasons = [
    ...(revoked ? ['it is revoked'] : []),
    ...(expires_at.getTime() < now ? [`it expired at ${instant(expires_at, now)}`] : []),
    ...(type === 'refresh_token' ? ['it is a refresh token, which only the token endpoint accepts'] : []),
  ]
  return { reasons, facts: { form: 'opaque', ...record, grant } }
}

function lastRefresh({ spent_at }: Hash, now: number): string {
  return spent_at === undefined ? '' : `; the last refresh was at ${instant(new Date(Number(spent_at)), now)}`
}

// The unchecked fields of a malformed record.
function rawFacts({ type, client_id, subject, scope }: Hash): TokenFacts {
  return {
    form: 'opaque',
    ...(type === undefined ? {} : { type }),
    ...(client_id === undefined ? {} : { client_id }),
    ...(subject === undefined ? {} : { subject }),
    ...(scope === undefined ? {} : { scope }),
  }
}

async function explainClient(storage: Storage, client_id: string | undefined): Promise<string[]> {
  if (client_id === undefined) return []
  const hash = (await storage.records.read(CLIENT, client_id))?.hash
  if (hash === undefined) return [`its client "${client_id}" is not registered`]
  const { state } = describeClient(client_id, hash)
  if (state === 'active') return []
  const where =
    state === 'demo' ? ', which only servers in demo mode accept: set DEMO=true to ask as one of them' : ''
  return [`its client "${client_id}" is ${state}${where}`]
}

interface GrantDescription {
  id: string
  /** `none`: there is no grant record, because the client acts for itself or the record expired. */
  status: string
}

async function describeGrant(storage: Storage, id: string): Promise<GrantDescription> {
  const record = await storage.families.findFamily(id)
  return { id, status: record === undefined ? 'none' : (record.status ?? 'malformed') }
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
