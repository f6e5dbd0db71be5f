import { hash } from 'node:crypto'
import type { EmailAddress } from '../core/email-address.ts'
import { codeFrom } from '../core/third-parties.ts'
import { linkOf } from '../users/sign-in-names.ts'

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
  readonly kept: UpstreamRound
}

/** What an answer is checked with. */
export interface UpstreamRound {
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

/** What a provider is asked for; `answer` is what the browser brought back from it. */
export type ProviderStep = 'discovery' | 'answer' | 'token' | 'keys' | 'userinfo' | 'groups'

/**
 * RFC 6749 §4.1.2.1, and GitHub: what a provider refuses because of the record or of itself. All else is the choice of a
 * person. The browser brings the code: it is one of a few.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  ...['invalid_request', 'unauthorized_client', 'unsupported_response_type', 'invalid_scope'],
  ...['server_error', 'temporarily_unavailable'],
  // https://docs.github.com/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-authorization-request-errors
  ...['application_suspended', 'redirect_uri_mismatch'],
])

/** Why a provider led nowhere. Its own texts are not used. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure'
  /** `denied`: the person refused there; `broken`: the provider did not answer as it must, or refused what redmint asked. */
  readonly problem: 'denied' | 'broken'
  readonly step: ProviderStep
  /** A code for the log, without text of the provider. */
  readonly code: string

  constructor(problem: ProviderFailure['problem'], step: ProviderStep, ...codes: readonly unknown[]) {
    super(`provider ${problem}`)
    this.step = step
    this.code = codeFrom(...codes)
    this.problem = REFUSALS.has(this.code) ? 'broken' : problem
  }
}

/**
 * Returns a digest of a session at a provider, by issuer and sid (OpenID Connect Back-Channel Logout §2.6): 43
 * characters.
 */
export function upstreamSession({ issuer }: { readonly issuer: string }, sid: string): string {
  return hash('sha256', JSON.stringify([issuer, sid]), 'base64url')
}

/** Returns the link of a person at a provider. */
export function upstreamLink({ issuer }: { readonly issuer: string }, subject: string): string {
  return linkOf(issuer, subject)
}

/** Returns a digest of a person at a provider, of 43 characters. @param link as upstreamLink */
export function upstreamUser(link: string): string {
  return hash('sha256', link, 'base64url')
}
