import type { EventEmitter } from 'node:events'
import type { Endpoint } from './endpoints.ts'
import { OAuthError } from './errors.ts'
import type { ClientId, FamilyId } from './ids.ts'
import type { Reason } from './reasons.ts'
import { parseToken } from './token-string.ts'

/** What anybody can cause without proving anything, in the order of a first connection. */
export const UNPROVEN_STEPS = ['discovery', 'document', 'registered', 'asked'] as const
/** What takes a sign-in, the credentials of a client or one of its tokens. */
export const PROVEN_STEPS = ['invited', 'authorized', 'token', 'api', 'api_refused'] as const

export type UnprovenStepName = (typeof UNPROVEN_STEPS)[number]
export type ProvenStepName = (typeof PROVEN_STEPS)[number]

/** A step of whoever asks: their word for it, and the network they ask from. */
export interface UnprovenStep {
  readonly step: UnprovenStepName
  /** Absent: the metadata of this server are read without one. */
  readonly client_id?: ClientId
  /** The network of the sender; empty: not known. */
  readonly from: string
}

/** A step of a client that proved what it is, or of a person who is signed in. */
export interface ProvenStep {
  readonly step: ProvenStepName
  readonly client_id: ClientId
  /** What the person granted; absent: the client acts for itself, or there is no grant yet. */
  readonly grant?: FamilyId | undefined
  /** The person; absent: none. */
  readonly sub?: string | undefined
  /** The network of the client, if the client itself asks. */
  readonly from?: string
  /** Of a token that was taken. */
  readonly format?: 'opaque' | 'jwt'
  /** The APIs that it is for, separated by spaces; absent: this server. */
  readonly resource?: string | undefined
  /** Where the token was shown. */
  readonly endpoint?: Endpoint | undefined
  /** The client that asked about the token, or exchanged it; absent: it was shown to this server itself. */
  readonly by?: ClientId | undefined
  /** Which rule refused it there, and what was wrong. */
  readonly reason?: Reason | undefined
  readonly fault?: string | undefined
  /** The first part of the token, which tells it from others and is kept nowhere. */
  readonly token?: string
}

/** Tells of the steps of connections, for what explains them. */
export type ConnectionSteps = EventEmitter<{ proven: [ProvenStep]; unproven: [UnprovenStep] }>

/** What it takes to tell of steps. */
export interface StepContext {
  readonly steps: ConnectionSteps
}

/** Tells of a step, if anybody hears it. */
export function tellStep({ steps }: StepContext, of: () => ProvenStep): void {
  if (steps.listenerCount('proven') > 0) steps.emit('proven', of())
}

/** Likewise of one that proves nothing. */
export function tellUnproven({ steps }: StepContext, of: () => UnprovenStep): void {
  if (steps.listenerCount('unproven') > 0) steps.emit('unproven', of())
}

/** More than the family, and too little of its secret to present it. */
const DISTINCT = 32

/** A token that was shown, as a step says it. */
export interface SeenToken {
  readonly jti: string
  readonly client_id: ClientId
  readonly subject: string
  readonly audience?: readonly string[]
}

/** Where a token was shown. */
export type ShownAt = Pick<ProvenStep, 'endpoint' | 'by'>

/** Which rule refused a token, and what was wrong with it. */
type Refusal = Pick<ProvenStep, 'reason' | 'fault'>

/** Returns the step that a token was shown. @param refusal absent: it was taken */
export function shownStep(
  { jti, client_id, subject, audience }: SeenToken,
  { endpoint, by }: ShownAt,
  refusal?: Refusal,
): ProvenStep {
  const has_person = subject !== ''
  return {
    step: refusal === undefined ? 'api' : 'api_refused',
    client_id,
    token: jti.slice(0, DISTINCT),
    grant: has_person ? parseToken(jti)?.family : undefined,
    sub: has_person ? subject : undefined,
    resource: audience?.join(' '),
    endpoint,
    by,
    reason: refusal?.reason,
    fault: refusal?.fault,
  }
}

/** What became of a token that was shown: it counts, or why not, and whose it is all the same if that is proven. */
type FoundToken =
  | { readonly valid: true; readonly token: SeenToken }
  | { readonly valid: false; readonly reason: string; readonly shown?: SeenToken }

/** What a check writes down of the token that it finds. */
export interface Showing {
  found?: FoundToken
}

/**
 * Tells of a token that `work` finds, and if `work` refuses it, by which rule.
 * @param work writes down which token it finds
 * @throws any error of `work`
 */
export async function tellShown<T>(
  context: StepContext,
  place: ShownAt,
  work: (showing: Showing) => Promise<T>,
): Promise<T> {
  const showing: Showing = {}
  try {
    const done = await work(showing)
    tellFound(context, place, showing)
    return done
  } catch (error) {
    if (error instanceof OAuthError) tellFound(context, place, showing, error)
    throw error
  }
}

function tellFound(context: StepContext, place: ShownAt, { found }: Showing, refused?: OAuthError): void {
  const shown = found?.valid ? found.token : found?.shown
  if (shown === undefined) return
  const fault = found?.valid ? undefined : found?.reason
  tellStep(context, () => shownStep(shown, place, refused && { reason: refused.reason, fault }))
}
