import { CLIENT } from '../../clients/record/client-kind.ts'
import { actingClients } from '../../core/actor.ts'
import { instant, timeIn } from '../../core/instant.ts'
import { describeProblem, type Hash } from '../../core/record-hash.ts'
import { parseToken } from '../../core/token-string.ts'
import { looksLikeJwt } from '../../keys/jwt-reader.ts'
import { isOfRefreshFamily } from '../../storage/family-digests.ts'
import type { Storage } from '../../storage/storage.ts'
import { INVALID_SIGNATURE } from '../../tokens/jws.ts'
import { parseTokenRecord } from '../../tokens/token-record.ts'
import { describeClient } from '../clients/record-type.ts'
import type { TokenContext } from './context.ts'
import type { InspectedToken, TokenExplanation } from './explanation.ts'
import { explainJwt, jtiOf } from './jwt.ts'
import { explainOrigins } from './origins.ts'
import { whereRecorded } from './stored-form.ts'
import { isLiveRefreshToken, validateAsServer } from './validation.ts'

/** Whether a protected API accepts a token, and why not. */
export interface TokenInspection {
  readonly accepted: boolean
  /** As in RFC 7662 §2.2, where a refresh token that can be used is active, too. */
  readonly active: boolean
  /** Empty if it is accepted. */
  readonly reasons: readonly string[]
  readonly facts: InspectedToken
  readonly grant?: GrantDescription
}

/** The family of a token. */
export interface GrantDescription {
  readonly id: string
  /** `none`: there is no grant record, because the client acts for itself or the record expired. */
  readonly status: string
  readonly username?: string
  /** Milliseconds since 1970. */
  readonly started_at?: number
  /** When a refresh token of it was spent last, in milliseconds since 1970. */
  readonly spent_at?: number
  /** At most SHOWN_TOKENS. */
  readonly tokens: readonly TokenState[]
  /** Whether there are more. */
  readonly more: boolean
}

/** A token of a family. */
export interface TokenState {
  readonly type: string
  readonly state: 'live' | 'revoked' | 'expired'
  readonly scope: string
  readonly audience?: string
  readonly expires_at: string
}

const SHOWN_TOKENS = 20

/**
 * Explains a token. A server's function validates it; the reasons come from separate checks. Nothing that could be used
 * is in the answer.
 * @throws StorageUnavailable
 */
export async function inspectToken(given: TokenContext, token: string): Promise<TokenInspection> {
  const context = await whereRecorded(given, jtiOf(token) ?? token)
  const verdict = await validateAsServer(context, token)
  const { reasons: own, facts } = await (looksLikeJwt(token) ? explainJwt : explainOpaque)(context, token)
  const acting = [facts.client_id, ...actingClients(facts.actors?.[0])]
  const of_clients = [...new Set(acting)].map((client_id) => explainClient(context.storage, client_id))
  const reasons = [...own, ...(await Promise.all(of_clients)).flat()]
  const grant = facts.grant === undefined ? undefined : await describeGrant(context, facts.grant)
  const is_refresh_token = facts.type === 'refresh_token'
  return {
    accepted: verdict.valid,
    active: is_refresh_token ? await isLiveRefreshToken(context, token) : verdict.valid,
    reasons: verdict.valid ? [] : addServerReason(reasons, verdict.reason),
    facts,
    ...(grant !== undefined && { grant }),
  }
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

async function explainOpaque({ storage, now }: TokenContext, token: string): Promise<TokenExplanation> {
  const grant = parseToken(token)?.family
  if (grant === undefined) {
    const reason =
      'it does not have the form of a token: an opaque token has 16 characters, a dot and 43 characters, a JWT has three parts'
    return { reasons: [reason], facts: { form: 'unknown' } }
  }
  const { token: hash, family = {} } = await storage.families.findTokenAndFamily(token)
  if (hash === undefined) {
    const reason = isOfRefreshFamily(family, token)
      ? `it is a refresh token of this sign-in that was replaced by a refresh, or expired${lastRefresh(family, now())}`
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
  const { reasons: of_origins, facts: more } = await explainOrigins(storage.families, token, hash)
  const reasons = [
    ...(revoked ? ['it is revoked'] : []),
    ...of_origins,
    ...(expires_at.getTime() < now() ? [`it expired at ${instant(expires_at, now())}`] : []),
    ...(type === 'refresh_token' ? ['it is a refresh token, which only the token endpoint accepts'] : []),
  ]
  return { reasons, facts: { form: 'opaque', ...record, ...more, grant } }
}

function lastRefresh({ spent_at }: Hash, now: number): string {
  const at = timeIn(spent_at)
  return at === undefined ? '' : `; the last refresh was at ${instant(new Date(at), now)}`
}

// The unchecked fields of a malformed record.
function rawFacts({ type, client_id, subject, scope }: Hash): InspectedToken {
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

async function describeGrant({ storage, now }: TokenContext, id: string): Promise<GrantDescription> {
  const { family, tokens } = await storage.families.readFamily(id, SHOWN_TOKENS + 1)
  if (family === undefined) return { id, status: 'none', tokens: [], more: false }
  const { status = 'malformed', username } = family
  const [started_at, spent_at] = [timeIn(family.started_at), timeIn(family.spent_at)]
  return {
    id,
    status,
    ...(username !== undefined && { username }),
    ...(started_at !== undefined && { started_at }),
    ...(spent_at !== undefined && { spent_at }),
    tokens: tokens.slice(0, SHOWN_TOKENS).map((token) => stateOf(token, status, now())),
    more: tokens.length > SHOWN_TOKENS,
  }
}

function stateOf(token: Hash, status: string, now: number): TokenState {
  const { type = '', scope = '', audience, expires_at = '', revoked } = token
  const is_over = Date.parse(expires_at) < now
  const state = status !== 'active' || revoked !== 'false' ? 'revoked' : is_over ? 'expired' : 'live'
  return { type, state, scope, expires_at, ...(audience !== undefined && { audience }) }
}
