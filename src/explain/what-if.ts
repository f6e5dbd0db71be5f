import { REQUEST_CHECKS, TARGET_CHECKS } from '../authorize/check-request.ts'
import type { CheckContext, Draft } from '../authorize/checks.ts'
import { demandedAcr } from '../authorize/demanded-acr.ts'
import { findNextStep, type NextStepContext } from '../authorize/next-step.ts'
import type { AuthorizationRequest, Target } from '../authorize/request.ts'
import { readEnabledClient } from '../clients/client-registry.ts'
import { CLIENT } from '../clients/record/client-kind.ts'
import { demandsSignedResponses } from '../clients/record/profiles.ts'
import type { Settings } from '../config/settings.ts'
import { OAuthError } from '../core/errors.ts'
import { SILENT } from '../core/log.ts'
import type { Parameters } from '../core/parameters.ts'
import { type Facts, REASONS, type Reason, type RequestStep, STEPS } from '../core/reasons.ts'
import { shownFacts } from '../core/shown-facts.ts'
import { DetailTypes } from '../details/detail-types.ts'
import { ConsentRegistry } from '../interaction/consent.ts'
import { password } from '../interaction/password-method.ts'
import type { PendingRecord } from '../interaction/pending-record.ts'
import { acrValuesOf, type SignInMethods } from '../interaction/sign-in-method.ts'
import { VerifiedTokens } from '../keys/verified-jws.ts'
import { ResourceRegistry } from '../resources/resource-registry.ts'
import type { Session } from '../sessions/session.ts'
import type { Changes } from '../storage/changes.ts'
import { recordOf } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { s256Challenge } from '../tokens/pkce.ts'
import { AccountRegistry } from '../users/account-registry.ts'
import { findAccount } from '../users/find-account.ts'
import type { User } from '../users/user-record.ts'
import { type IssuableTokens, tokensFor } from './would-issue.ts'

/** Who would sign in, to what, and what the client would ask for. */
export interface WhatIfRequest {
  readonly username: string
  readonly client_id: string
  readonly scope?: string | undefined
  readonly resource?: readonly string[] | undefined
  /** The parameter as the client would send it (RFC 9396). */
  readonly authorization_details?: string | undefined
  /** What the client demands of the sign-in. */
  readonly acr?: string | undefined
}

/** A rule, and whether the request would pass it. */
export interface RuleResult {
  readonly rule: RequestStep
  readonly passed: boolean
  /** Why not. */
  readonly reason?: Reason
  readonly received?: Facts
  readonly expected?: Facts
}

export interface WhatIfAnswer {
  readonly allowed: boolean
  /** Whose name was given; absent: nobody's. */
  readonly user?: User | undefined
  /** In the order in which they are checked: the first that fails refuses the request. */
  readonly rules: readonly RuleResult[]
  /** Whether the user would be asked to agree. */
  readonly asks_consent?: boolean
  /** What the client would get; absent: nothing. */
  readonly tokens?: IssuableTokens
}

export interface WhatIfContext {
  readonly storage: Storage
  readonly settings: Settings
  /** Absent: the passwords, second steps and passkeys that the settings turn on. */
  readonly methods?: SignInMethods
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How people would sign in, by the settings: what demands a strength is all that counts here. */
function methodsOf({ second_factor, passkeys }: Settings): SignInMethods {
  const strengths = ['1', ...(second_factor === 'off' ? [] : ['2']), ...(passkeys === 'on' ? ['phr'] : [])]
  return [{ ...password, acr_values: strengths }]
}

/** Nothing is cached, so that nothing watches storage afterwards. */
const NO_CHANGES: Changes = { watch() {}, isLive: () => false }

const VERIFIER = 'a-verifier-that-no-request-ever-has-in-it-000'
const SID = 'what-if'
/** The user has signed in for this request, and has done nothing else. */
const SIGNED_IN: PendingRecord = {
  kind: 'authorization',
  id: SID,
  browser: SID,
  ends_at: 0,
  parameters: {},
  signed_in: SID,
}

/**
 * Says whether a user who signs in now, as the request demands, would get into a client: by the tables of checks and the
 * decisions of the authorization endpoint. Nothing is written, no factor is tested, and no counter changes.
 * @throws StorageUnavailable
 */
export async function whatIf(given: WhatIfContext, asked: WhatIfRequest): Promise<WhatIfAnswer> {
  const context = nextStepContext(given)
  const rules: RuleResult[] = []
  const request = await checkAll(context, await parametersOf(given, asked), rules)
  const user = await findUser(given, asked.username, rules)
  if (request === undefined || user === undefined || rules.some(({ passed }) => !passed)) {
    return { allowed: false, user, rules }
  }
  const next = await findNextStep(context, request, sessionOf(context, user, request), SIGNED_IN)
  if (next.step === 'error' || next.step === 'no_access') {
    const error = next.step === 'error' ? next.error : { reason: 'access_by_group' as const, ...next.facts }
    rules.push(...until(error))
    return { allowed: false, user, rules }
  }
  rules.push(...PERSON.map((rule) => ({ rule, passed: true })))
  return {
    allowed: true,
    user,
    rules,
    asks_consent: next.step !== 'issue',
    tokens: await tokensFor({ ...context, log: SILENT, settings: given.settings }, request, user),
  }
}

/** The rules about a person who is signed in. */
const PERSON: readonly RequestStep[] = ['account', 'access', 'consent']

/** Returns what the rules work with: nothing is cached, and nothing is written. */
export function nextStepContext({
  storage,
  settings,
  methods,
  now,
}: WhatIfContext): NextStepContext & { readonly accounts: AccountRegistry } {
  const uncached = { ...storage, records: storage.records, changes: NO_CHANGES }
  const context = { storage: uncached, log: SILENT, settings, now }
  return {
    settings,
    now,
    clients: { demand: (client_id) => readEnabledClient(context, client_id) },
    accounts: new AccountRegistry(context),
    resources: new ResourceRegistry(context),
    detail_types: new DetailTypes(context),
    consents: new ConsentRegistry(uncached, settings, now),
    methods: methods ?? methodsOf(settings),
    keys: NO_KEYS,
    // The user signs in now, as the request demands.
    recent_proof: { missing: async () => undefined },
  }
}

// id_token_hint is not among the parameters.
const NO_KEYS: CheckContext['keys'] = {
  verified: new VerifiedTokens(1),
  notBefore: 0,
  verificationKey: () => undefined,
}

/** What the request of the client would be: what it need not choose is right. */
async function parametersOf(
  { storage }: WhatIfContext,
  { client_id, scope, resource, authorization_details, acr }: WhatIfRequest,
): Promise<Parameters> {
  const client = recordOf(await storage.records.read(CLIENT, client_id))
  const essential = { id_token: { acr: { essential: true, value: acr } } }
  return {
    client_id,
    // A client that there is not is refused for that, and not for its address.
    redirect_uri: client === undefined ? 'https://client.invalid/' : client.redirect_uris[0],
    response_type: 'code',
    code_challenge: s256Challenge(VERIFIER),
    code_challenge_method: 'S256',
    ...(client !== undefined && demandsSignedResponses(client) && { response_mode: 'jwt' }),
    ...(scope !== undefined && { scope }),
    ...(resource !== undefined && resource.length > 0 && { resource: resource.join(' ') }),
    ...(authorization_details !== undefined && { authorization_details }),
    ...(acr !== undefined && { claims: JSON.stringify(essential) }),
  }
}

/** Runs every check of the two tables, also after one that fails. How the request is sent is not asked. */
async function checkAll(
  context: ReturnType<typeof nextStepContext>,
  parameters: Parameters,
  rules: RuleResult[],
): Promise<AuthorizationRequest | undefined> {
  const draft: Draft & Partial<Target> = { parameters, clients: context.clients, settings: context.settings }
  for (const { name, at, check } of TARGET_CHECKS) {
    if (!at.accepted) continue
    const error = await attempt(async () => void Object.assign(draft, await check(draft)))
    rules.push(result(name, error))
    if (error !== undefined) return undefined
  }
  const { client, redirect_uri } = draft
  if (client === undefined || redirect_uri === undefined) return undefined
  const response_mode = parameters.response_mode === 'jwt' ? 'jwt' : 'query'
  const target: Target = { client, redirect_uri, response_mode }
  const found: Partial<AuthorizationRequest> = {}
  for (const { name, at, check } of REQUEST_CHECKS) {
    if (!at.accepted) continue
    const run = async () => void Object.assign(found, await check(parameters, target, context, found))
    const error = await attempt(run)
    if (name !== 'unchecked') rules.push(result(name, error))
  }
  const { scope, prompt, claims } = found
  if (scope === undefined || prompt === undefined || claims === undefined) return undefined
  return Object.assign(found, { client, redirect_uri, scope, prompt, claims })
}

/** Returns why a check refuses; undefined: it passes. @throws any error that is no refusal */
export async function attempt(run: () => Promise<void>): Promise<OAuthError | undefined> {
  try {
    await run()
    return undefined
  } catch (error) {
    if (error instanceof OAuthError && error.status < 500) return error
    throw error
  }
}

/** Finds who signs in, by the name that is typed. @throws StorageUnavailable */
export async function findUser(
  { storage, settings }: WhatIfContext,
  username: string,
  rules: RuleResult[],
): Promise<User | undefined> {
  const { user } = await findAccount({ storage, log: SILENT, settings }, username)
  const reason = user === undefined ? 'user_unknown' : user.disabled ? 'user_disabled' : undefined
  rules.push({ rule: 'sign_in', passed: reason === undefined, ...(reason && { reason }) })
  return user
}

function sessionOf({ methods, now }: NextStepContext, user: User, request: AuthorizationRequest): Session {
  const demanded = demandedAcr(request) ?? []
  const reachable = acrValuesOf(methods)
  const { username, sub } = user
  return {
    id: SID,
    sid: SID,
    username,
    sub,
    auth_time: Math.floor(now() / 1000),
    amr: 'pwd',
    acr: demanded.find((acr) => reachable.includes(acr)) ?? '1',
    started_at: now(),
    ends_at: now() + 1000,
    has_joined: false,
  }
}

/** What the user's groups are, and what the client allows. */
/** The rules about a person until the one that refuses. */
function until(error: Pick<OAuthError, 'reason' | 'received' | 'expected'>): RuleResult[] {
  const refused_by = REASONS[error.reason]
  const before = PERSON.slice(0, Math.max(0, PERSON.indexOf(refused_by)))
  return [...before.map((rule) => ({ rule, passed: true })), result(refused_by, error)]
}

/** Returns the result of a rule. @param error undefined: it passed */
export function result(
  rule: string,
  error: Pick<OAuthError, 'reason' | 'received' | 'expected'> | undefined,
): RuleResult {
  const step = STEPS.find((name) => name === rule) ?? 'parameters'
  if (error === undefined) return { rule: step, passed: true }
  const { reason } = error
  const received = shownFacts(error.received, error.expected)
  const expected = shownFacts(error.expected)
  return { rule: step, passed: false, reason, ...(received && { received }), ...(expected && { expected }) }
}
