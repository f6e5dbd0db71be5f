import { REASONS, type Reason, type RequestStep } from '../core/reasons.ts'
import { isOfThirdParty } from '../core/third-parties.ts'
import type { Explanation } from './explanation.ts'
import type { ReasonLanguage } from './texts.ts'
import type { SideToAct, TrailStep, VerdictName } from './trail-step.ts'
import { verdictSentence } from './trail-words.ts'

/** What is known besides the steps. */
interface Besides {
  /** How many more steps there were. */
  readonly more: number
  /** Refused requests of APIs that asked about tokens. */
  readonly unheard: readonly Explanation[]
  readonly refusals: readonly Explanation[]
}

/** Says who is to act, by the last step of a client. */
export function verdictOf(
  steps: readonly TrailStep[],
  { more, unheard, refusals }: Besides,
  language: ReasonLanguage,
): { readonly to_act: SideToAct; readonly sentence: string } {
  const last = steps.at(-1)
  const says = (
    to_act: SideToAct,
    name: VerdictName,
    other: Partial<TrailStep> & { advice?: string } = {},
  ) => ({
    to_act,
    sentence: verdictSentence(name, { ...last, ...other }, more, language),
  })
  switch (last?.step) {
    case undefined:
    case 'discovery':
      return says('client', 'none')
    case 'document':
    case 'registered':
    case 'invited':
      return says('client', 'registered')
    case 'asked':
      return says('person', 'asked')
    case 'authorized':
      return says('client', 'authorized')
    case 'token': {
      if (last.format === 'jwt') return says('unseen', 'token_jwt')
      const [asked] = unheard.filter(({ at }) => Date.parse(at) >= Date.parse(last.at))
      if (asked === undefined) return says('client', 'token_opaque')
      const { client_id: by } = asked
      return says('api', 'token_unheard', { request: asked.id, ...(by !== undefined && { by }) })
    }
    case 'api':
      return last.by === undefined ? says('nobody', 'own') : says('api', 'api')
    case 'api_refused':
      return says(mayMendAlone(last) ? 'client' : 'operator', 'api_refused')
    case 'refused': {
      const { reason = 'server_fault', request } = last
      if (WAITS.includes(reason)) return says('person', 'waits')
      const advice = refusals.find(({ id }) => id === request)?.advice ?? ''
      return says(sideOf(reason), 'refused', { advice })
    }
  }
}

/** A code that waits for the answer of a person. */
const WAITS: readonly Reason[] = [
  'device_code_pending',
  'device_code_slow_down',
  'ask_pending',
  'ask_slow_down',
]

/** Whether the client gets another token by itself: of the other rules only the operator can say what they should be. */
const mayMendAlone = ({ reason, fault }: TrailStep): boolean =>
  reason !== 'resource_unknown' && !(reason === 'token_of_other_audience' && fault !== undefined)

const SIDES: Readonly<Partial<Record<RequestStep, SideToAct>>> = {
  sign_in: 'person',
  consent: 'person',
  browser: 'person',
  account: 'operator',
  access: 'operator',
  storage: 'operator',
  server: 'operator',
  arrival: 'operator',
}

function sideOf(reason: Reason): SideToAct {
  return isOfThirdParty(reason) ? 'third_party' : (SIDES[REASONS[reason]] ?? 'client')
}
