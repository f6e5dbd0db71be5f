import { errors } from 'jose'
import { CLIENT } from '../../src/clients/client-kind.ts'
import type { Hash } from '../../src/core/record-hash.ts'
import { parseToken } from '../../src/core/token-string.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { parseTokenRecord } from '../../src/tokens/token-record.ts'
import { describeClient } from '../client/show.ts'
import { EXIT, sayProblem } from '../errors.ts'
import { instant, pairs, type Report } from '../output.ts'
import type { Opened } from '../run.ts'
import type { Explanation, TokenFacts } from './explanation.ts'
import { explainJwt, looksLikeJwt } from './jwt.ts'
import { validateAsServer } from './validation.ts'

const SIGNATURE_FAILED = errors.JWSSignatureVerificationFailed.code

/**
 * The command `token inspect`. The verdict is the one that a server reaches, by the same function; the words
 * come of a second look.
 */
export async function inspectToken(opened: Opened, token: string): Promise<Report> {
  const verdict = await validateAsServer(opened, token)
  const { reasons: own, facts } = await (looksLikeJwt(token) ? explainJwt : explainOpaque)(opened, token)
  const reasons = [...own, ...(await explainClient(opened.storage, facts.client_id))]
  const grant = facts.grant === undefined ? undefined : await describeGrant(opened.storage, facts.grant)
  const said = verdict.valid ? [] : withServersReason(reasons, verdict.reason)
  return {
    text: [
      verdict.valid ? 'Accepted: a protected API takes this token.' : `Not accepted: ${said.join('; ')}.`,
      '',
      pairs(sayFacts(facts, grant, opened.now, verdict.valid)),
    ].join('\n'),
    json: {
      accepted: verdict.valid,
      reasons: said,
      ...facts,
      ...(grant === undefined ? {} : { grant }),
    },
    ...(verdict.valid ? {} : { exit: EXIT.refused }),
  }
}

/**
 * Adds to the reasons for which a token is not accepted what only the server's verdict says: a signature is not
 * looked at here; and a reason that only the server knows is better than none.
 */
export function withServersReason(reasons: readonly string[], reason: string): readonly string[] {
  if (reason === SIGNATURE_FAILED) {
    return ['its signature is not good: it was changed on its way, or signed by somebody else', ...reasons]
  }
  return reasons.length > 0 ? reasons : [reason]
}

async function explainOpaque({ storage, now }: Opened, token: string): Promise<Explanation> {
  const grant = parseToken(token)?.family
  if (grant === undefined) {
    const reason =
      'it has not the form of a token: an opaque one has 16 characters, a dot and 43 characters, a JWT has three parts'
    return { reasons: [reason], facts: { form: 'unknown' } }
  }
  const hash = await storage.families.findToken(token)
  if (hash === undefined) {
    const reason = 'there is no such token: it was never issued here, or it has expired and is gone'
    return { reasons: [reason], facts: { form: 'opaque', grant } }
  }
  const parsed = parseTokenRecord(token, hash)
  if (!parsed.ok) {
    const problems = parsed.problems.map(sayProblem).join('; ')
    return { reasons: [`its record is malformed: ${problems}`], facts: { ...rawFacts(hash), grant } }
  }
  const { type, client_id, subject, scope, expires_at, revoked } = parsed.record
  const reasons = [
    ...(revoked ? ['it is revoked'] : []),
    ...(expires_at.getTime() < now ? [`it has expired at ${instant(expires_at, now)}`] : []),
    ...(type === 'refresh_token' ? ['it is a refresh token, which only the token endpoint takes'] : []),
  ]
  return { reasons, facts: { form: 'opaque', type, client_id, subject, scope, expires_at, grant } }
}

// Of a malformed record: what is there as it stands.
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
  return state === 'active' ? [] : [`its client "${client_id}" is ${state}`]
}

interface GrantDescription {
  id: string
  /** `none`: no sign-in stands behind the token, or it is forgotten. */
  status: string
}

async function describeGrant(storage: Storage, id: string): Promise<GrantDescription> {
  const record = await storage.families.findFamily(id)
  return { id, status: record === undefined ? 'none' : (record.status ?? 'malformed') }
}

function sayFacts(
  { form, type, client_id, subject, scope, expires_at }: TokenFacts,
  grant: GrantDescription | undefined,
  now: number,
  proven: boolean,
): [name: string, value: string][] {
  const entries: [name: string, value: string | undefined][] = [
    ['form', form === 'jwt' && !proven ? 'jwt; the rest is what it says of itself, and not proven' : form],
    ['type', type],
    ['client', client_id],
    ['subject', subject === '' ? 'empty: the client acts for itself' : subject],
    ['scope', scope === '' ? 'empty' : scope],
    ['expires', expires_at && instant(expires_at, now)],
    ['grant', grant && `${grant.id}, ${sayStatus(grant.status)}`],
  ]
  return entries.filter((entry): entry is [string, string] => entry[1] !== undefined)
}

function sayStatus(status: string): string {
  return status === 'none' ? 'of which no sign-in is recorded' : status
}
