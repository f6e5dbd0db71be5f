import type { Parameters } from '../core/parameters.ts'
import { departToGitHub, returnFromGitHub } from './github.ts'
import { departTo, returnFrom } from './openid.ts'
import type { PartyContext, RelyingParties } from './parties.ts'
import type { Provider } from './provider-record.ts'
import { type Departure, type Kept, ProviderFailure, type UpstreamUser, type Wish } from './upstream.ts'

/** What it takes to visit providers. */
export interface VisitContext {
  readonly context: PartyContext
  readonly parties: RelyingParties
}

/** Starts a visit to a provider. @throws ProviderFailure; StorageUnavailable */
export async function depart(visiting: VisitContext, provider: Provider, wish: Wish): Promise<Departure> {
  const { context, parties } = visiting
  return notingErrors(visiting, provider, async () =>
    provider.kind === 'github'
      ? departToGitHub(context, provider, wish)
      : departTo(context, parties, provider, wish),
  )
}

/** Takes the answer of a provider, which came to its callback. @throws ProviderFailure; StorageUnavailable */
export async function comeBack(
  visiting: VisitContext,
  provider: Provider,
  answer: Parameters,
  kept: Kept,
): Promise<UpstreamUser> {
  const { context, parties } = visiting
  const upstream = await notingErrors(visiting, provider, async () =>
    provider.kind === 'github'
      ? returnFromGitHub(context, parties.fetch, provider, answer, kept)
      : returnFrom(context, parties, provider, answer, kept),
  )
  parties.outcomes.succeeded(provider.provider, context.now())
  return upstream
}

async function notingErrors<T>(
  { context, parties }: VisitContext,
  { provider }: Provider,
  visit: () => Promise<T>,
): Promise<T> {
  try {
    return await visit()
  } catch (error) {
    if (error instanceof ProviderFailure) parties.outcomes.failed(provider, error, context.now())
    throw error
  }
}
