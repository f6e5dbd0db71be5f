import type { MethodParts } from '../interaction/method-parts.ts'
import type { AskedPage, PageTexts } from '../interaction/sign-in-method.ts'
import type { Html } from '../pages/html.ts'
import type { MessageName } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import { recoveryCodeFields, secondStepFields, setUpFields, wrongText } from '../pages/second-step.ts'
import { shownCodes } from './recovery-file.ts'
import { readState, type SecondStepState } from './second-step-state.ts'
import { begunTotp } from './totp.ts'

const TITLES = {
  code: 'second_step_title',
  set_up: 'second_step_set_up_title',
  codes: 'second_step_codes_title',
} as const satisfies Record<SecondStepState['step'], MessageName>

const PROBLEMS: Readonly<Record<string, 'too_many' | 'over' | 'limited' | 'use_passkey'>> = {
  too_many: 'too_many',
  over: 'over',
  limited: 'limited',
  use_passkey: 'use_passkey',
}

/** The fields of a page of the second step; undefined: the page is that of the first one. */
export function secondStepFieldsOf(
  parts: MethodParts,
  { challenge, texts: language, problem, addressOf }: AskedPage,
): Html | undefined {
  const state = readState(challenge)
  if (state === undefined) return undefined
  const has_failed = problem !== undefined
  if (state.step === 'code') {
    const { way = 'code' } = state
    const { trusted_browser_days: trusted_days } = parts.settings
    return secondStepFields({ way, has_failed, trusted_days, addressOf }, language)
  }
  if (state.step === 'codes') {
    return recoveryCodeFields(shownCodes(parts, state.username, state.codes ?? []), language)
  }
  const set_up = begunTotp(parts, state.username, state.begun ?? '')
  return setUpFields({ uri: set_up?.uri ?? '', key: set_up?.key ?? '', has_failed }, language)
}

/** What pages of the second step say, and the first page after one. */
export function secondStepTexts({ challenge, texts: language, problem }: AskedPage): PageTexts {
  const state = readState(challenge)
  const known = PROBLEMS[problem ?? '']
  const way = state?.step === 'code' ? (state.way ?? 'code') : 'code'
  const says = known ? say(language, `second_step_${known}`) : state && wrongText(way, language)
  const title = way === 'recovery' ? 'second_step_recovery_title' : state && TITLES[state.step]
  return {
    ...(title && { title: say(language, title) }),
    ...(way === 'recovery' && { lead: say(language, 'second_step_recovery_lead') }),
    ...(says && { problem: says }),
  }
}
