import type { Parameters } from '../core/parameters.ts'
import { departToGitHub, returnFromGitHub } from './github.ts'
import { departTo, returnFrom } from './openid.ts'
import type { PartyContext, RelyingParties } from './parties.ts'
import type { Provider } from './provider-record.ts'
import type { Departure, Kept, UpstreamUser } from './upstream.ts'

/** What it takes to visit providers. */
export interface VisitContext {
  readonly context: PartyContext
  readonly parties: RelyingParties
}

/** Starts a visit to a provider. @throws ProviderFailure; StorageUnavailable */
export async function depart(
  { context, parties }: VisitContext,
  provider: Provider,
  is_fresh: boolean,
): Promise<Departure> {
  return provider.kind === 'github'
    ? departToGitHub(context, provider, is_fresh)
    : departTo(context, parties, provider, is_fresh)
}

/** Takes the answer of a provider, which came to its callback. @throws ProviderFailure; StorageUnavailable */
export async function comeBack(
  { context, parties }: VisitContext,
  provider: Provider,
  answer: Parameters,
  kept: Kept,
): Promise<UpstreamUser> {
  return provider.kind === 'github'
    ? returnFromGitHub(context, parties.fetch, provider, answer, kept)
    : returnFrom(context, parties, provider, answer, kept)
}
