/**
 * What it means if a check finds something: a stranger gets in (`refuse`), people are locked out by an ordinary trouble
 * (`survive`), or the specification leaves it open, and we would do it (`advice`).
 */
export type Level = 'refuse' | 'survive' | 'advice'

/** The libraries of which we know what to change. */
export const LIBRARIES = {
  openid_client: 'openid-client',
  auth_js: 'Auth.js',
  spring: 'Spring Security',
  authlib: 'Authlib',
  go_oidc: 'go-oidc',
  resource_server: 'redmint/resource-server',
  jose: 'jose',
} as const
export type Library = keyof typeof LIBRARIES

/** What is checked, in words. */
export interface CheckTexts {
  /** A name that never changes: `state-wrong`. */
  readonly id: string
  /** What is demanded: "Refuses an answer with another state". */
  readonly title: string
  readonly level: Level
  /** Why, with the section of the specification. */
  readonly about: string
  /** What to change. */
  readonly fix: string
  /** What to change where one of these libraries is used. */
  readonly fixes?: Readonly<Partial<Record<Library, string>>>
}

/** What a check found out. */
export type Outcome =
  | { readonly is: 'passed' }
  /** A smaller finding than the level of the check says has a level of its own. */
  | { readonly is: 'found'; readonly found: string; readonly level?: Level }
  | { readonly is: 'skipped'; readonly why: string }

/** A check of something that runs. */
export interface Check<Subject> extends CheckTexts {
  run(subject: Subject): Promise<Outcome>
}

/** A check with what came of it. */
export interface Result {
  readonly check: CheckTexts
  readonly outcome: Outcome
}

/** What came of all checks. */
export interface CheckReport {
  /** The command: `check-client`. */
  readonly command: string
  /** The address that was checked. */
  readonly url: string
  readonly results: readonly Result[]
  /** Why the other checks were not run: the ordinary way does not work. */
  readonly stopped?: string
}

export const PASSED: Outcome = { is: 'passed' }

/** Returns the outcome of a check that found something. */
export const found = (what: string, level?: Level): Outcome => ({
  is: 'found',
  found: what,
  ...(level && { level }),
})

/** Returns the outcome of a check that is about nothing here. */
export const skipped = (why: string): Outcome => ({ is: 'skipped', why })

/** How a result counts. */
export type Verdict = 'passed' | 'failed' | 'advice' | 'skipped'

/** Returns how a result counts. */
export function verdictOf({ check, outcome }: Result): Verdict {
  if (outcome.is !== 'found') return outcome.is
  return (outcome.level ?? check.level) === 'advice' ? 'advice' : 'failed'
}

/** Whether something is to be mended. */
export function hasFailed({ results, stopped }: CheckReport): boolean {
  return stopped !== undefined || results.some((result) => verdictOf(result) === 'failed')
}
