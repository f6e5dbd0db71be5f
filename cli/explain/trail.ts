import type { ConnectionTrailBody } from '../../src/admin/explanations.ts'
import type { ReasonLanguage } from '../../src/explain/texts.ts'
import type { Calls } from '../calls.ts'
import { type Report, table } from '../output.ts'
import { when } from '../when.ts'

const HEADS = {
  en: ['AT', 'GRANT', 'WHAT HAPPENED'],
  de: ['AM', 'GRANT', 'WAS GESCHAH'],
} as const

/** Which steps are wanted. */
export interface WantedSteps {
  readonly client_id: string
  readonly last?: number | undefined
  readonly language: ReasonLanguage
}

/** The command `explain --trail`. */
export async function showTrail(calls: Calls, wanted: WantedSteps): Promise<Report> {
  const trail = await readTrail(calls, wanted)
  return { text: trailText(trail, calls.now, wanted.language), json: trail }
}

/** Reads the last steps of a client. */
export function readTrail({ call }: Calls, { client_id, last, language }: WantedSteps) {
  const query = { client_id, lang: language, ...(last !== undefined && { last }) }
  return call('explain_connection', { query })
}

/** The steps, one a line, and who is to act. */
export function trailText(
  { steps, sentence, off }: ConnectionTrailBody & { readonly off?: string },
  now: number,
  language: ReasonLanguage,
): string {
  if (off !== undefined && steps.length === 0) return off
  const rows = steps.map(({ at, grant, sentence }) => [when(at, now), grant ?? '', sentence])
  return [...(rows.length === 0 ? [] : [table(HEADS[language], rows)]), sentence].join('\n\n')
}
