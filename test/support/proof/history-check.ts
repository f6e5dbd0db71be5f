// The rules for every history, whatever faults occurred.
import { type Entry, grantOf, type History, issuedId, succeeded, undecided } from './history.ts'

/** A violated rule, with the attempt and the reason. */
export interface Violation {
  rule: string
  entry: Entry
  text: string
}

/** An event that revokes a family or one token of it. */
interface End {
  entry: Entry
  /** As `issuedId` identifies it. */
  token?: string
  /** The earliest position at which it may have happened. */
  possible: number
  /** The position of its acknowledgement; from here on it must be in effect. */
  certain: number
}

/** A history, indexed for the rules. */
interface Story {
  history: History
  byRequest: Map<number, Entry[]>
  byCode: Map<string, Entry[]>
  byRefreshToken: Map<string, Entry[]>
  byRequestUri: Map<string, Entry[]>
  /** By the assertion that is the grant, or that authenticates the client. */
  byAssertion: Map<string, Entry[]>
  /** By proof and family: a Cluster uses it up for each family alone. */
  byProof: Map<string, Entry[]>
  /** Registrations by invitation; the empty one is none. */
  byInvitation: Map<string, Entry[]>
  refreshTokens: Set<string>
  /** By family id. */
  ends: Map<string, End[]>
}

type Rule = (story: Story) => Iterable<{ entry: Entry; text: string }>

const RULES = {
  'a code succeeds once': codeSucceedsOnce,
  'a request_uri yields one code': requestUriYieldsOneCode,
  'an assertion succeeds once': assertionSucceedsOnce,
  'a proof succeeds once': proofSucceedsOnce,
  'no more clients register than may': noMoreThanMay,
  'a client_id is issued once': clientIdIsIssuedOnce,
  'a token is for the resource of its client': tokenIsForItsResource,
  'a token is issued once': tokenIsIssuedOnce,
  'a refresh token has one successor': oneSuccessor,
  'a retry gets the same access token': sameAnswer,
  'a superseded refresh token is refused': supersededIsRefused,
  'what has ended stays ended': endedStaysEnded,
  'no 5xx but 503': no5xxBut503,
  '503 says when to come again': retryAfter,
  'a living server answers': livingServerAnswers,
  'nobody waits in vain': nobodyWaitsInVain,
  'an honest client is not refused': honestIsNotRefused,
  'an honest client goes on': honestGoesOn,
} satisfies Record<string, Rule>

/** The names of all rules. */
export const RULE_NAMES = Object.keys(RULES)

/** All violations in a history. */
export function check(history: History): Violation[] {
  const story = sort(history)
  return Object.entries(RULES).flatMap(([rule, find]) =>
    [...find(story)].map((found) => ({ rule, ...found })),
  )
}

/** Describes a violation in one line without tokens. */
export function describe({ rule, entry, text }: Violation): string {
  const { action, server, request, outcome, invoked, returned, at } = entry
  const answer = [outcome.status ?? 'no answer', outcome.error].filter((part) => part !== undefined).join(' ')
  const attempt = `${action.kind} of request ${request} at ${server}, ${invoked}–${returned}: ${answer}`
  return `${rule}: ${text} (${attempt}), sent at ${new Date(at).toISOString()}`
}

function sort(history: History): Story {
  const entries = history.entries.toSorted((one, other) => one.invoked - other.invoked)
  const byRequest = group(entries, ({ request }) => request)
  const byCode = group(entries, ({ action }) => (action.kind === 'redeem' ? action.code : undefined))
  const byRefreshToken = group(entries, ({ action }) =>
    action.kind === 'refresh' ? action.refresh_token : undefined,
  )
  const byRequestUri = group(entries, ({ action }) =>
    action.kind === 'authorize' ? action.request_uri : undefined,
  )
  const byAssertion = group(entries, ({ action, once }) =>
    action.kind === 'assertion' ? action.assertion : once?.client_assertion,
  )
  const byProof = group(entries, (entry) => {
    const proof = entry.once?.proof
    return proof && `${grantOf(presented(entry) ?? '')} ${proof}`
  })
  const byInvitation = group(entries, ({ action }) =>
    action.kind === 'register' ? (action.allowance.invitation ?? '') : undefined,
  )
  const refreshTokens = new Set(entries.flatMap(({ outcome }) => outcome.refresh_token ?? []))
  const ends = new Map<string, End[]>()
  const tokens = { byCode, byRefreshToken, byRequestUri, byAssertion, byProof, refreshTokens }
  const story = { history, byRequest, byInvitation, ...tokens, ends }
  for (const entry of entries) {
    const end = endBy(entry, story)
    if (end === undefined) continue
    const grant = grantOf(presented(entry) ?? '')
    ends.set(grant, [...(ends.get(grant) ?? []), end])
  }
  return story
}

function group<K>(entries: readonly Entry[], keyOf: (entry: Entry) => K | undefined): Map<K, Entry[]> {
  const groups = new Map<K, Entry[]>()
  for (const entry of entries) {
    const key = keyOf(entry)
    if (key === undefined) continue
    const list = groups.get(key)
    if (list) list.push(entry)
    else groups.set(key, [entry])
  }
  return groups
}

/** The code or token that an attempt presents. */
function presented({ action }: Entry): string | undefined {
  if (action.kind === 'redeem') return action.code
  if (action.kind === 'refresh') return action.refresh_token
  return 'token' in action ? action.token : undefined
}

/** What an attempt ends: a revocation, or a refusal of something spent. */
function endBy(entry: Entry, { byCode, byRefreshToken, refreshTokens }: Story): End | undefined {
  const { action, invoked, returned, honest } = entry
  const unknown = { entry, possible: invoked, certain: Number.POSITIVE_INFINITY }
  if (action.kind === 'revoke') {
    const whole = refreshTokens.has(action.token) ? {} : { token: issuedId(action.token) }
    return { ...unknown, ...whole, ...(succeeded(entry) ? { certain: returned } : {}) }
  }
  if (action.kind !== 'redeem' && action.kind !== 'refresh') return undefined
  const attempts =
    action.kind === 'redeem' ? byCode.get(action.code) : byRefreshToken.get(action.refresh_token)
  const wasSpent = entry.outcome.error === 'invalid_grant' && attempts?.some(succeeded)
  if (wasSpent) return { ...unknown, certain: returned }
  // A replay with an inconclusive response may have taken effect.
  return honest || succeeded(entry) ? undefined : unknown
}

/** The ends that affect the token of an attempt. */
function endsFor(entry: Entry, { ends }: Story): End[] {
  const token = presented(entry)
  if (token === undefined) return []
  const id = issuedId(token)
  return (ends.get(grantOf(token)) ?? []).filter((end) => end.token === undefined || end.token === id)
}

function* codeSucceedsOnce({ byCode }: Story) {
  for (const attempts of byCode.values()) {
    for (const entry of attempts.filter(succeeded).slice(1)) yield { entry, text: 'the code succeeds again' }
  }
}

function* assertionSucceedsOnce({ byAssertion }: Story) {
  for (const attempts of byAssertion.values()) {
    for (const entry of attempts.filter(succeeded).slice(1))
      yield { entry, text: 'the assertion succeeds again' }
  }
}

function* requestUriYieldsOneCode({ byRequestUri }: Story) {
  for (const attempts of byRequestUri.values()) {
    for (const entry of attempts.filter(succeeded).slice(1)) yield { entry, text: 'it yields another code' }
  }
}

function* proofSucceedsOnce({ byProof }: Story) {
  for (const attempts of byProof.values()) {
    for (const entry of attempts.filter(succeeded).slice(1)) yield { entry, text: 'the proof succeeds again' }
  }
}

function* noMoreThanMay({ byInvitation }: Story) {
  for (const attempts of byInvitation.values()) {
    for (const [index, entry] of attempts.filter(succeeded).entries()) {
      const may = allowed(entry)
      if (index >= may) yield { entry, text: `client ${index + 1} of ${may}` }
    }
  }
}

function* clientIdIsIssuedOnce({ byInvitation }: Story) {
  const issued = new Set<string>()
  for (const entry of [...byInvitation.values()].flat()) {
    const { client_id } = entry.outcome
    if (client_id === undefined) continue
    if (issued.has(client_id)) yield { entry, text: 'it is that of another client' }
    issued.add(client_id)
  }
}

/** How many clients may register with what an attempt brings. */
function allowed({ action }: Entry): number {
  return action.kind === 'register' ? action.allowance.clients : 0
}

function* tokenIsForItsResource({ history }: Story) {
  for (const entry of history.entries) {
    const { resource, outcome } = entry
    if (resource === undefined || outcome.audience === undefined || outcome.audience === resource) continue
    yield { entry, text: `its audience is ${outcome.audience || 'this server'}` }
  }
}

function* tokenIsIssuedOnce({ history }: Story) {
  const sources = new Map<string, unknown>()
  for (const entry of history.entries) {
    const { access_token, refresh_token } = entry.outcome
    const source = presented(entry)
    if (access_token !== undefined) {
      const id = issuedId(access_token)
      // Only a retry of a rotation gets the same access token again.
      const known = sources.get(id)
      const is_retry = known === source && refresh_token !== source
      if (known !== undefined && !is_retry) yield { entry, text: 'an access token that somebody has already' }
      sources.set(id, source ?? entry)
    }
    // Without rotation the response has the same refresh token.
    if (refresh_token === undefined || refresh_token === source) continue
    if (sources.has(refresh_token) && sources.get(refresh_token) !== source) {
      yield { entry, text: 'a refresh token that was issued for something else' }
    }
    sources.set(refresh_token, source)
  }
}

function* oneSuccessor({ byRefreshToken }: Story) {
  for (const attempts of byRefreshToken.values()) {
    const [first, ...more] = attempts.filter(succeeded)
    for (const entry of more) {
      if (entry.outcome.refresh_token !== first?.outcome.refresh_token) {
        yield { entry, text: 'another successor' }
      }
    }
  }
}

function* sameAnswer({ byRefreshToken }: Story) {
  for (const [token, attempts] of byRefreshToken) {
    const rotations = attempts.filter((one) => succeeded(one) && one.outcome.refresh_token !== token)
    const [first, ...more] = rotations.map((entry) => ({
      entry,
      id: issuedId(entry.outcome.access_token ?? ''),
    }))
    for (const { entry, id } of more) {
      if (id !== first?.id) yield { entry, text: 'another access token' }
    }
  }
}

function* supersededIsRefused({ byRefreshToken }: Story) {
  for (const [token, attempts] of byRefreshToken) {
    for (const entry of attempts.filter(succeeded)) {
      const successor = entry.outcome.refresh_token ?? token
      const uses = successor === token ? [] : (byRefreshToken.get(successor) ?? [])
      const used = uses.find((use) => succeeded(use) && use.returned < entry.invoked)
      if (used) yield { entry, text: `its successor was presented at ${used.returned}` }
    }
  }
}

function* endedStaysEnded(story: Story) {
  for (const entry of story.history.entries) {
    const { kind } = entry.action
    if (!succeeded(entry) || (kind !== 'use' && kind !== 'refresh')) continue
    const end = endsFor(entry, story).find(({ certain }) => certain < entry.invoked)
    if (end) yield { entry, text: `ended by the ${end.entry.action.kind} acknowledged at ${end.certain}` }
  }
}

function* no5xxBut503({ history }: Story) {
  for (const entry of history.entries) {
    const { status = 0 } = entry.outcome
    if (status >= 500 && status !== 503) yield { entry, text: `answered ${status}` }
  }
}

function* retryAfter({ history }: Story) {
  for (const entry of history.entries) {
    const { status, retry_after = '' } = entry.outcome
    if (status === 503 && !/^[1-9]\d*$/.test(retry_after)) yield { entry, text: 'no Retry-After' }
  }
}

function* livingServerAnswers({ history }: Story) {
  for (const entry of history.entries) {
    if (entry.outcome.status !== undefined || entry.outcome.gave_up) continue
    const { server, invoked, returned } = entry
    if (!wasAway(history, server, invoked, returned)) yield { entry, text: 'no answer' }
  }
}

// A machine that is busy may take longer than a client waits, but not each time.
const IN_VAIN = 3

function* nobodyWaitsInVain({ byRequest }: Story) {
  for (const attempts of byRequest.values()) {
    let in_vain = 0
    for (const entry of attempts) {
      in_vain = entry.outcome.gave_up ? in_vain + 1 : 0
      if (in_vain === IN_VAIN) yield { entry, text: `no answer in time, ${IN_VAIN} times` }
    }
  }
}

function* honestIsNotRefused(story: Story) {
  for (const entry of story.history.entries) {
    const { status = 0 } = entry.outcome
    if (!entry.honest || succeeded(entry) || status >= 500 || status === 0) continue
    const ended = endsFor(entry, story).some((end) => end.entry !== entry && end.possible < entry.returned)
    const is_lost = isCodeOfDeadServer(entry, story) || isLostRequest(entry, story)
    if (!ended && !is_lost && !isUsedUp(entry, story)) yield { entry, text: 'refused' }
  }
}

// The replica that redeemed the code died before it could respond or withdraw; the client needs a new code.
function isCodeOfDeadServer(entry: Entry, { history, byCode }: Story): boolean {
  if (entry.action.kind !== 'redeem') return false
  const attempts = byCode.get(entry.action.code) ?? []
  return attempts.some(
    (earlier) =>
      earlier.invoked < entry.invoked &&
      undecided(earlier) &&
      wasAway(history, earlier.server, earlier.invoked, entry.returned),
  )
}

// The answer was lost, and the pushed request is spent with its code; the client needs a new one.
function isLostRequest({ action, invoked }: Entry, { byRequestUri }: Story): boolean {
  if (action.kind !== 'authorize' || action.request_uri === undefined) return false
  const attempts = byRequestUri.get(action.request_uri) ?? []
  return attempts.some((earlier) => earlier.invoked < invoked && undecided(earlier))
}

// As many registrations as may be succeeded, or may have without an answer.
function isUsedUp(entry: Entry, { byInvitation }: Story): boolean {
  if (entry.action.kind !== 'register') return false
  const others = byInvitation.get(entry.action.allowance.invitation ?? '') ?? []
  const taken = others.filter(
    (other) => other.invoked < entry.returned && (succeeded(other) || undecided(other)),
  )
  return taken.length >= allowed(entry)
}

function* honestGoesOn({ byRequest }: Story) {
  for (const attempts of byRequest.values()) {
    const entry = attempts.at(-1)
    if (entry?.honest && undecided(entry)) yield { entry, text: 'the last attempt' }
  }
}

function wasAway({ downtimes }: History, server: string, from: number, to: number): boolean {
  return downtimes.some((away) => away.server === server && away.from < to && away.to > from)
}
