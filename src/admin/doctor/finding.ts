/** One line of `redmint doctor`. */
export interface Finding {
  /** What was examined: "eviction". */
  check: string
  level: 'ok' | 'warning' | 'problem'
  /** What was found, and what it means. */
  finding: string
  /** What to do; absent: nothing. */
  advice?: string
}

/** Returns a function that makes the findings of one check. */
export function findingsOf(check: string) {
  return {
    ok: (finding: string): Finding => ({ check, level: 'ok', finding }),
    warning: (finding: string, advice: string): Finding => ({ check, level: 'warning', finding, advice }),
    problem: (finding: string, advice: string): Finding => ({ check, level: 'problem', finding, advice }),
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
