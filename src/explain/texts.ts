import type { Reason } from '../core/reasons.ts'
import type { ReasonTexts } from './reason-texts.ts'
import { TEXTS_DE } from './texts-de.ts'
import { TEXTS_EN } from './texts-en.ts'

/** What operators read about a reason. */
export interface ReasonText {
  /** What happened, as one sentence. */
  readonly what: string
  /** What to change. */
  readonly advice: string
}

export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

const TEXTS: Readonly<Record<Language, ReasonTexts>> = { en: TEXTS_EN, de: TEXTS_DE }

/** Returns the texts of a reason. */
export function textOf(reason: Reason, language: Language): ReasonText {
  const [what, advice] = TEXTS[language][reason]
  return { what, advice }
}
