import type { Parameters } from '../core/parameters.ts'
import type { MethodParts } from '../interaction/method-parts.ts'
import { departToGitHub, returnFromGitHub } from './github.ts'
import { departTo, returnFrom } from './openid.ts'
import type { PartyContext, RelyingParties } from './parties.ts'
import type { Provider } from './provider-record.ts'
import type { Departure, UpstreamRound, UpstreamUser, Wish } from './upstream.ts'

/** What it takes to visit providers. */
export interface VisitContext {
  readonly context: PartyContext & Pick<MethodParts, 'outcomes'>
  readonly parties: RelyingParties
}

/** Starts a visit to a provider. @throws ProviderFailure; StorageUnavailable */
export async function depart(
  { context, parties }: VisitContext,
  provider: Provider,
  wish: Wish,
): Promise<Departure> {
  return provider.kind === 'github'
    ? departToGitHub(context, provider, wish)
    : departTo(context, parties, provider, wish)
}

/** Takes the answer of a provider, which came to its callback. @throws ProviderFailure; StorageUnavailable */
export async function comeBack(
  { context, parties }: VisitContext,
  provider: Provider,
  answer: Parameters,
  kept: UpstreamRound,
): Promise<UpstreamUser> {
  const upstream = await (provider.kind === 'github'
    ? returnFromGitHub(context, parties.fetch, provider, answer, kept)
    : returnFrom(context, parties, provider, answer, kept))
  context.outcomes.succeeded({ party: 'provider', name: provider.provider }, context.now())
  return upstream
}
