import { hash } from 'node:crypto'
import { linkOf } from '../accounts/sign-in-names.ts'
import type { EmailAddress } from '../core/email-address.ts'

/** What a provider says of a person, as far as redmint believes it. */
export interface UpstreamUser {
  /** Who it is: issuer and subject (`linkOf`), never an address. */
  readonly link: string
  /** The session there: `upstreamSession`; absent: the provider does not say. */
  readonly session?: string
  /** An address that the provider verified; undefined: it has none, or its word does not count. */
  readonly email: EmailAddress | undefined
  readonly profile: Readonly<Record<string, string>>
  /** What the browser says that the provider says: only a new account takes it. */
  readonly introduced?: Readonly<Record<string, string>>
  /** The groups of the person; undefined: the record takes none. */
  readonly groups: readonly string[] | undefined
  /** The claim that the record names was missing, so that there are none. */
  readonly lacks_groups?: true
  /** How and when the person signed in there, as the provider said it. */
  readonly seen: { readonly acr?: string; readonly amr?: string; readonly auth_time?: number }
}

/** Where the browser is sent, and what is kept until it comes back. */
export interface Departure {
  readonly location: URL
  readonly kept: Kept
}

/** What an answer is checked with. */
export interface Kept {
  readonly nonce: string
  readonly code_verifier: string
}

/** How fresh the sign-in there has to be. */
export interface Wish {
  /** The person is to show anew who it is. */
  readonly is_again?: boolean | undefined
  /** How old the sign-in there may be at most, in seconds; absent: that does not matter. */
  readonly max_age?: number | undefined
}

/** Why a provider led nowhere. Its own texts are not used. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  /** `denied`: the person or the provider refused; `broken`: the provider did not answer as it must. */
  readonly problem: 'denied' | 'broken'
  /** A code for the log, without text of the provider. */
  readonly code: string

  constructor(problem: ProviderFailure['problem'], code: unknown) {
    super(`provider ${problem}`)
    this.problem = problem
    this.code = typeof code === 'string' && /^[A-Za-z_]{2,64}$/.test(code) ? code : 'unknown'
  }
}

/** Returns a digest of a session at a provider, by issuer and sid (OpenID Connect Back-Channel Logout §2.6): 43 characters. */
export function upstreamSession({ issuer }: { readonly issuer: string }, sid: string): string {
  return hash('sha256', JSON.stringify([issuer, sid]), 'base64url')
}

/** Returns the link of a person at a provider. */
export function upstreamLink({ issuer }: { readonly issuer: string }, subject: string): string {
  return linkOf(issuer, subject)
}
