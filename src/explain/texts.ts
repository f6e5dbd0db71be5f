import type { Reason } from '../core/reasons.ts'
import { builtIn } from '../texts/built-in.ts'
import { TEXTS_EN } from './texts-en.ts'

/** What operators read about a reason. */
export interface ReasonText {
  /** What happened, as one sentence. */
  readonly what: string
  /** What to change. */
  readonly advice: string
}

export const LANGUAGES = ['en', 'de'] as const
export type ReasonLanguage = (typeof LANGUAGES)[number]

/** Returns the texts of a reason. */
export function textOf(reason: Reason, language: ReasonLanguage): ReasonText {
  const [what, advice] = TEXTS_EN[reason]
  const translated = language === 'en' ? {} : builtIn(language).explanations
  return { what: translated?.[`${reason}.what`] ?? what, advice: translated?.[`${reason}.advice`] ?? advice }
}
