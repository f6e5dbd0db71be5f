import type { Reason } from '../core/reasons.ts'

/** What happened, as one sentence, and what to change, for every reason, in one language. */
export type ReasonTexts = Readonly<Record<Reason, readonly [what: string, advice: string]>>
