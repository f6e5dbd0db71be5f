import type { Facts } from './reasons.ts'

/** What is wrong with a JWT: its form, what it says, when it says that it is valid, or nothing proves it. */
export type JwtFault = 'malformed' | 'claims' | 'clock' | 'unproven'

/** Why a JWT is refused. */
export interface JwtRefusal {
  readonly fault: JwtFault
  /** Continues a sentence about the JWT. */
  readonly text: string
  /** What it has, and should have, for operators. */
  readonly received?: Facts
  readonly expected?: Facts
}

/** Returns the times in a JWT, for operators: those that are numbers. */
export function timesOf({ iat, nbf, exp }: Readonly<Record<string, unknown>>): Facts {
  return Object.fromEntries(
    Object.entries({ iat, nbf, exp }).filter((time): time is [string, number] => typeof time[1] === 'number'),
  )
}

/** Returns those of these claims that are texts, for operators. */
export function textsOf(claims: Readonly<Record<string, unknown>>, names: readonly string[]): Facts {
  const texts = names.map((name) => [name, claims[name]] as const)
  return Object.fromEntries(texts.filter((text): text is [string, string] => typeof text[1] === 'string'))
}

/** Returns what a refusal tells operators: what was found wrong, if nothing more is known. */
export function faultFacts<Told extends Omit<JwtRefusal, 'fault' | 'text'>>(fault: string, told: Told) {
  const is_silent = told.received === undefined && told.expected === undefined
  return is_silent ? { ...told, received: { fault } } : told
}

/** Returns a refusal without more to tell. */
export const refusedFor = (fault: JwtFault, text: string): JwtRefusal => ({ fault, text })
