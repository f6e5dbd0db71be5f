import { type Static, Type } from '@sinclair/typebox'
import { StorageUnavailable } from '../storage/errors.ts'

/** One line of `redmint doctor`. */
export const Finding = Type.Object(
  {
    id: Type.String({ description: 'What was looked at, a name that never changes: `memory_growth`' }),
    check: Type.String({ description: 'The same in words, and at which server of Redis' }),
    level: Type.Unsafe<'ok' | 'warning' | 'problem'>(Type.String({ enum: ['ok', 'warning', 'problem'] })),
    finding: Type.String({ description: 'What was found, and what it means' }),
    advice: Type.Optional(Type.String({ description: 'What to do; absent: nothing' })),
  },
  { $id: 'redmint:Finding', additionalProperties: false },
)
export type Finding = Static<typeof Finding>

/** Returns the id of a check from its name: `memory_growth` of "memory growth". */
export const idOf = (name: string): string => name.toLowerCase().replaceAll(' ', '_')

/** Returns functions that make the findings of one check. @param at the server of Redis that it is about */
export function findingsOf(name: string, at?: string) {
  const own = { id: idOf(name), check: at === undefined ? name : `${name} (${at})` }
  return {
    ok: (finding: string): Finding => ({ ...own, level: 'ok', finding }),
    warning: (finding: string, advice: string): Finding => ({ ...own, level: 'warning', finding, advice }),
    problem: (finding: string, advice: string): Finding => ({ ...own, level: 'problem', finding, advice }),
  }
}

const DAY = 86_400_000

/** Returns the finding about a certificate. @param now milliseconds since 1970 */
export function certificateFinding(check: string, until: Date, now: number): Finding {
  const { ok, warning, problem } = findingsOf(check)
  const days = Math.floor((until.getTime() - now) / DAY)
  const end = until.toISOString().slice(0, 10)
  if (days < 0) return problem(`its certificate expired on ${end}`, 'Renew it.')
  if (days < 14) return warning(`its certificate expires on ${end}`, 'Renew it.')
  return ok(`its certificate is valid until ${end}`)
}

/** Returns findings, or that they could not be made: the rights of the user of Redis have a finding of their own. */
export async function readable(
  make: () => Promise<Finding[]>,
  ...about: Parameters<typeof findingsOf>
): Promise<Finding[]> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
    return [findingsOf(...about).warning('could not be read', 'See the findings about Redis.')]
  }
}
