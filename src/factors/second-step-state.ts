import { parseObject } from '../core/json.ts'
import type { SecondStepWay } from '../pages/second-step.ts'
import type { CameFrom } from '../sessions/came-from.ts'

/** What the browser keeps, sealed, between the first step of a sign-in and its end. */
export interface SecondStepState extends CameFrom {
  /** What the page asks for: a code, the first code of a new app, or whether the recovery codes were saved. */
  readonly step: 'code' | 'set_up' | 'codes'
  readonly username: string
  /** The account as it was when its password was right: `accountState`. */
  readonly account: string
  /** How the first step was done, if that differs from one sign-in to another. */
  readonly amr?: readonly string[]
  /** As in `Success`. */
  readonly auth_time?: number
  /** By what the page asks for the code; absent: the app. */
  readonly way?: SecondStepWay
  /** How many guesses were wrong. */
  readonly wrong: number
  /** The app that is being set up: `BegunTotp`. */
  readonly begun?: string
  /** New recovery codes. */
  readonly codes?: readonly string[]
}

const MARK = 'second-step '

/** Formats a state as the challenge of a round. */
export function formatState(state: SecondStepState): string {
  return MARK + JSON.stringify(state)
}

/** Reads a challenge; undefined if it is not of a second step. */
export function readState(challenge: string | undefined): SecondStepState | undefined {
  if (!challenge?.startsWith(MARK)) return undefined
  return parseObject(challenge.slice(MARK.length)) as SecondStepState | undefined
}
