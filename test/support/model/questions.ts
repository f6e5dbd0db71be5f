// The model of what a client asks a person, and polls for: independent of any implementation.
import type { CodeRecord, SignIn } from '../../../src/tokens/code-record.ts'
import type { WaitingRedemption, WaitingResult } from '../../../src/tokens/waiting-code.ts'
import type { Model, Settings } from './model.ts'

export interface Question {
  /** What the client polls with. */
  auth_req_id: string
  /** What it is stored by. */
  id: string
  grant: string
  kind: string
  record: CodeRecord
  status: 'pending' | 'active' | 'denied'
  settings: Settings
  expires: number
  spent_by?: string
  /** Seconds; a poll that is too early adds to it. */
  interval: number
  /** The latest poll, while nobody had answered. */
  polled?: { by: string; at: number; answer: 'pending' | 'slow_down' }
}

const MISSING = { outcome: 'missing' } as const

export class Questions {
  readonly asked: Question[] = []
  readonly #model: Model

  constructor(model: Model) {
    this.#model = model
  }

  /** Whether it is there; a spent one for a while, so that its answer can be sent again. */
  live(one: Question): boolean {
    return this.#model.now <= one.expires
  }

  /** The first answer counts. @param sign_in of who allows it; undefined: the person refuses */
  answer(question: Question, sign_in: SignIn | undefined): 'ok' | 'missing' {
    if (!this.live(question) || question.status !== 'pending') return 'missing'
    question.status = sign_in === undefined ? 'denied' : 'active'
    Object.assign(question.record, sign_in)
    return 'ok'
  }

  poll(question: Question, { bound_to, ...redemption }: WaitingRedemption): WaitingResult {
    const { record, grant } = question
    const wrong = (['client_id', 'kind'] as const).find(
      (field) => bound_to[field] !== { client_id: record.client_id, kind: question.kind }[field],
    )
    if (!this.live(question)) return wrong === undefined ? this.#forgotten(question) : MISSING
    if (wrong !== undefined) return { outcome: 'mismatch', field: wrong }
    if (question.status === 'pending') return { outcome: this.#wait(question, redemption.operation) }
    if (question.status === 'denied') return { outcome: 'denied' }
    if (question.spent_by === undefined) {
      if (this.#model.grant(grant) !== undefined) return MISSING
      this.#model.spendCode(question, redemption)
    } else if (question.spent_by !== redemption.operation) {
      this.#model.revokeGrant(grant)
      return { outcome: 'replayed' }
    }
    const { client_id: _, redirect_uri: __, scope, ...sign_in } = record
    return { outcome: 'ok', scope, sign_in }
  }

  #wait(question: Question, operation: string): 'pending' | 'slow_down' {
    const { polled, interval } = question
    if (polled?.by === operation) return polled.answer
    const { now } = this.#model
    const is_early = polled !== undefined && now < polled.at + (interval - 1) * 1000
    const answer = is_early ? 'slow_down' : 'pending'
    if (is_early) question.interval += 5
    question.polled = { by: operation, at: now, answer }
    return answer
  }

  // As an authorization code: its family knows it for longer.
  #forgotten({ grant, spent_by }: Question): WaitingResult {
    if (spent_by === undefined || this.#model.grant(grant)?.sign_in === undefined) return MISSING
    this.#model.revokeGrant(grant)
    return { outcome: 'replayed' }
  }
}
