import { ACCESS_TOKEN_FORMATS, type AccessTokenFormat } from '../config/environment.ts'
import { PROVEN_STEPS, type ProvenStep, UNPROVEN_STEPS, type UnprovenStep } from '../core/connection-steps.ts'
import { ENDPOINTS, type Endpoint } from '../core/endpoints.ts'
import { parseObject } from '../core/json.ts'
import { REASONS, type Reason } from '../core/reasons.ts'

/** The lists of steps: that of whoever proved nothing is one of its own. */
export const STEP_LISTS = { proven: 'connection-steps', unproven: 'connection-steps:strangers' } as const

/** How much is kept of the APIs that a token is for. */
const MAX_RESOURCE = 500

/** A step of a connection as it is kept. */
export interface StepRecord {
  readonly step: (UnprovenStep | ProvenStep)['step']
  /** ISO 8601. */
  readonly at: string
  /** Absent: it is nobody's by itself. */
  readonly client_id?: string
  readonly grant?: string
  readonly sub?: string
  readonly from?: string
  readonly format?: AccessTokenFormat
  readonly resource?: string
  readonly endpoint?: Endpoint
  readonly by?: string
  readonly reason?: Reason
  readonly fault?: string
}

const TEXTS = ['client_id', 'grant', 'sub', 'from', 'resource', 'by', 'fault'] as const

/** Returns the text of a step. Nothing of its token is kept. @param at milliseconds since 1970 */
export function formatStep(given: UnprovenStep | ProvenStep, at: number): string {
  const { step, client_id, grant, sub, from, format, resource, endpoint, by, reason, fault }: AnyStep = given
  return JSON.stringify({
    step,
    at: new Date(at).toISOString(),
    client_id,
    grant,
    sub,
    from: from || undefined,
    format,
    resource: resource?.slice(0, MAX_RESOURCE),
    endpoint,
    by,
    reason,
    fault,
  })
}

type AnyStep = Pick<UnprovenStep | ProvenStep, 'step' | 'client_id'> &
  Partial<Omit<ProvenStep, 'step' | 'client_id'>>

/** Parses the text of a step; undefined if it is none, or one of a version that knew other ones. */
export function parseStep(text: string): StepRecord | undefined {
  const given = parseObject(text)
  const step = [...UNPROVEN_STEPS, ...PROVEN_STEPS].find((name) => name === given?.step)
  if (given === undefined || step === undefined || typeof given.at !== 'string') return undefined
  const format = ACCESS_TOKEN_FORMATS.find((name) => name === given.format)
  const endpoint = ENDPOINTS.find((name) => name === given.endpoint)
  const reason = REASON_NAMES.find((name) => name === given.reason)
  const texts = TEXTS.filter((name) => typeof given[name] === 'string')
  return {
    step,
    at: given.at,
    ...Object.fromEntries(texts.map((name) => [name, given[name]])),
    ...(format && { format }),
    ...(endpoint && { endpoint }),
    ...(reason && { reason }),
  }
}

const REASON_NAMES = Object.keys(REASONS) as Reason[]
