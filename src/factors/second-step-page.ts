import type { MethodParts } from '../interaction/method-parts.ts'
import type { AskedPage, PageTexts } from '../interaction/sign-in-method.ts'
import { type Html, html } from '../pages/html.ts'
import { languageOf } from '../pages/language.ts'
import { en } from '../pages/messages/en.ts'
import type { Language, MessageName } from '../pages/messages/language.ts'
import { say } from '../pages/say.ts'
import { recoveryCodeList, secondStepFields, setUpFields } from '../pages/second-step.ts'
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
  { challenge, language: tag, problem }: AskedPage,
): Html | undefined {
  const state = readState(challenge)
  if (state === undefined) return undefined
  const language = languageFor(tag)
  const has_failed = problem !== undefined
  if (state.step === 'code') {
    return secondStepFields({ has_failed, trusted_days: parts.settings.trusted_browser_days }, language)
  }
  if (state.step === 'codes') {
    return html`${recoveryCodeList(state.codes ?? [], language)}
<button class="primary">${say(language, 'second_step_codes_saved')}</button>`
  }
  const set_up = begunTotp(parts, state.username, state.begun ?? '')
  return setUpFields({ uri: set_up?.uri ?? '', key: set_up?.key ?? '', has_failed }, language)
}

/** What pages of the second step say, and the first page after one. */
export function secondStepTexts({ challenge, language: tag, problem }: AskedPage): PageTexts {
  const state = readState(challenge)
  const language = languageFor(tag)
  const known = PROBLEMS[problem ?? '']
  const says = known ? say(language, `second_step_${known}`) : state && say(language, 'second_step_wrong')
  return {
    ...(state && { title: say(language, TITLES[state.step]) }),
    ...(says && { problem: says }),
  }
}

const languageFor = (tag: string): Language => languageOf(tag) ?? en
