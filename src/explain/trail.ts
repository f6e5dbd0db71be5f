import { CLIENT } from '../clients/record/client-kind.ts'
import type { ClientId } from '../core/ids.ts'
import { timeIn } from '../core/instant.ts'
import type { Storage } from '../storage/storage.ts'
import { ownersOf } from '../users/owners-of-subs.ts'
import { type Explanation, type ExplanationContext, LOOKED_THROUGH, listExplanations } from './explanation.ts'
import { parseStep, STEP_LISTS, type StepRecord } from './step-record.ts'
import type { ReasonLanguage } from './texts.ts'
import type { SideToAct, TrailStep } from './trail-step.ts'
import { stepSentence } from './trail-words.ts'
import { verdictOf } from './verdict.ts'

/** How long before a step of a client its network may have read the metadata for it, in milliseconds. */
const BEFORE = 3_600_000

/** The last steps of a client, the oldest first, and who is to act. */
export interface ConnectionTrail {
  readonly client_id: ClientId
  readonly steps: readonly TrailStep[]
  /** How many more steps there were that are only counted. */
  readonly more: number
  readonly to_act: SideToAct
  readonly sentence: string
}

interface TrailContext extends ExplanationContext {
  readonly storage: Pick<Storage, 'bounded' | 'records'>
}

interface WantedTrail {
  readonly client_id: ClientId
  readonly limit: number
  readonly language: ReasonLanguage
}

/** Returns the last steps of a client, and who is to act. @throws StorageUnavailable */
export async function connectionTrail(
  context: TrailContext,
  { client_id, limit, language }: WantedTrail,
): Promise<ConnectionTrail> {
  const { storage } = context
  const [proven, unproven, refused, registered_at] = await Promise.all([
    readSteps(context, STEP_LISTS.proven),
    readSteps(context, STEP_LISTS.unproven),
    listExplanations(context, { limit: LOOKED_THROUGH, language }),
    registration(context, client_id),
  ])
  const isOwn = (found: { readonly client_id?: string }) => found.client_id === client_id
  const own = [...proven.steps, ...unproven.steps].filter(isOwn)
  if (registered_at !== undefined && !own.some(({ step }) => step === 'registered' || step === 'invited'))
    own.push({ step: 'registered', at: registered_at, client_id })
  const tied = unproven.steps
    .filter((one) => one.client_id === undefined && own.some((other) => isBefore(one, other)))
    .map((one) => ({ ...one, tied_by: 'network' as const }))
  const refusals = refused.filter(isOwn)
  const found = [...tied, ...own, ...refusals.map(ofRefusal)].sort(byTime).slice(-limit)
  const owners = await ownersOf(storage, [...new Set(found.flatMap(({ sub }) => sub ?? []))])
  const steps = found.map(({ client_id: _, sub, ...step }): TrailStep => {
    const username = owners.get(sub ?? '')
    const shown = { ...step, ...(username !== undefined && { username }) }
    return { ...shown, sentence: stepSentence(shown, language) }
  })
  const more = [...proven.more].reduce((sum, [id, count]) => (id === client_id ? sum + count : sum), 0)
  // An API that did not prove what it is asked in vain, and says of no token that it asked about it.
  const unheard = refused.filter(({ endpoint, client_id }) => endpoint === 'introspect' && client_id)
  return { client_id, steps, more, ...verdictOf(steps, { more, unheard, refusals }, language) }
}

interface KeptSteps {
  readonly steps: readonly StepRecord[]
  /** How many more there were, by client: each kind once. */
  readonly more: readonly (readonly [client_id: string, count: number])[]
}

async function readSteps(
  { storage, settings, now }: TrailContext,
  list: (typeof STEP_LISTS)[keyof typeof STEP_LISTS],
): Promise<KeptSteps> {
  const entries = await storage.bounded.read(list, { last: LOOKED_THROUGH })
  const found = entries.flatMap(({ text, more }) => {
    const step = parseStep(text)
    const is_over = step === undefined || Date.parse(step.at) + settings.explain_ttl * 1000 <= now()
    return is_over ? [] : [{ step, more }]
  })
  const counts = new Map(
    found.map(({ step: { client_id = '', sub = '' }, more }) => [
      JSON.stringify([client_id, sub]),
      [client_id, more] as const,
    ]),
  )
  // Of one moment, the first comes first.
  return { steps: found.map(({ step }) => step).reverse(), more: [...counts.values()] }
}

/** When a client registered itself, as its record says it; undefined: it did not. @throws StorageUnavailable */
async function registration({ storage }: TrailContext, client_id: ClientId): Promise<string | undefined> {
  const at = (await storage.records.read(CLIENT, client_id))?.hash.registered_at
  return at !== undefined && timeIn(at) !== undefined ? at : undefined
}

/** Whether a step comes from the network of another one, and may have been made for it. */
function isBefore(one: StepRecord, other: StepRecord): boolean {
  if (one.from === undefined || one.from !== other.from) return false
  const before = Date.parse(other.at) - Date.parse(one.at)
  return before >= 0 && before <= BEFORE
}

type Found = Omit<TrailStep, 'sentence' | 'username'> & { readonly client_id?: string; readonly sub?: string }

const byTime = (one: Found, other: Found) => Date.parse(one.at) - Date.parse(other.at)

const ofRefusal = ({ id: request, at, endpoint, reason, received }: Explanation): Found => ({
  step: 'refused',
  ...{ at, endpoint, reason, request },
  ...(typeof received.fault === 'string' && { fault: received.fault }),
})
