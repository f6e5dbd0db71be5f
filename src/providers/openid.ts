import type { Configuration } from 'openid-client'
import type { Parameters } from '../core/parameters.ts'
import { statusCode } from '../core/third-parties.ts'
import { randomText } from '../core/token-string.ts'
import { isText } from '../issuers/assertion-claims.ts'
import { StorageUnavailable } from '../storage/errors.ts'
import { s256Challenge } from '../tokens/pkce.ts'
import { answersByForm, appleName } from './apple.ts'
import { believedOf } from './believed.ts'
import { callbackOf } from './callback.ts'
import { idTokenTimeFault } from './id-token-times.ts'
import type { PartyContext, RelyingParties } from './parties.ts'
import type { Provider } from './provider-record.ts'
import {
  type Departure,
  ProviderFailure,
  type ProviderStep,
  type UpstreamRound,
  type UpstreamUser,
  upstreamSession,
  type Wish,
} from './upstream.ts'

const LOGIN = { prompt: 'login' }
/** How each is asked to have somebody sign in anew. Google refuses `login`; Apple asks always, and has no such parameter. */
const PROMPTS: Readonly<Record<Provider['kind'], { readonly prompt?: string }>> = {
  google: { prompt: 'select_account' },
  apple: {},
  microsoft: LOGIN,
  github: LOGIN,
  gitlab: LOGIN,
  oidc: LOGIN,
}

// Apple does not say that it knows PKCE; its id_tokens have the nonce.
const knowsPkce = ({ kind }: Provider, configuration: Configuration) =>
  kind !== 'apple' || configuration.serverMetadata().supportsPKCE()

/** The kinds that are told how old a sign-in may be; others have no such parameter. */
const TAKES_MAX_AGE: readonly Provider['kind'][] = ['oidc', 'gitlab', 'microsoft']

/** The kinds whose id_tokens may lack what scopes ask for. */
const SAYS_LITTLE: readonly Provider['kind'][] = ['oidc', 'gitlab']

/** Starts a visit to an OpenID Provider (OpenID Connect Core §3.1.2.1). @throws ProviderFailure; StorageUnavailable */
export async function departTo(
  context: PartyContext,
  parties: RelyingParties,
  provider: Provider,
  { is_again, max_age }: Wish,
): Promise<Departure> {
  const { client, configuration } = await speaking(parties.find(context, provider), () => 'discovery')
  const kept: UpstreamRound = {
    nonce: randomText(16),
    code_verifier: randomText(32),
  }
  const location = client.buildAuthorizationUrl(configuration, {
    redirect_uri: callbackOf(context.settings, provider.provider),
    response_type: 'code',
    scope: provider.scope.join(' '),
    nonce: kept.nonce,
    ...(knowsPkce(provider, configuration) && {
      code_challenge: s256Challenge(kept.code_verifier),
      code_challenge_method: 'S256',
    }),
    ...(answersByForm(provider) && { response_mode: 'form_post' }),
    // A session there may be as old as that.
    ...(is_again && !(max_age !== undefined && max_age > 0) && PROMPTS[provider.kind]),
    ...(max_age !== undefined && TAKES_MAX_AGE.includes(provider.kind) && { max_age: String(max_age) }),
  })
  return { location, kept }
}

/**
 * Takes the answer of an OpenID Provider: exchanges the code, and checks the id_token with its signature (§3.1.3.7).
 * @throws ProviderFailure; StorageUnavailable
 */
export async function returnFrom(
  context: PartyContext,
  parties: RelyingParties,
  provider: Provider,
  answer: Parameters,
  kept: UpstreamRound,
): Promise<UpstreamUser> {
  const { client, withKeys } = await speaking(parties.find(context, provider), () => 'discovery')
  const url = new URL(callbackOf(context.settings, provider.provider))
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined && name !== 'user') url.searchParams.set(name, value)
  let step: ProviderStep = 'answer'
  const asking = (asked: ProviderStep) => {
    step = asked
  }
  const exchanged = withKeys(async (configuration) => {
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      ...(knowsPkce(provider, configuration) && { pkceCodeVerifier: kept.code_verifier }),
      expectedNonce: kept.nonce,
      // The seal of the state was checked before.
      expectedState: answer.state ?? '',
      idTokenExpected: true,
    })
    const claims = tokens.claims() ?? { sub: '' }
    // Core §5.4: claims of scopes may be there alone. The sub is compared (§5.3.2).
    const asks =
      SAYS_LITTLE.includes(provider.kind) && configuration.serverMetadata().userinfo_endpoint !== undefined
    const more = asks ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub) : undefined
    return { claims, more, granted: tokens.scope }
  }, asking)
  const { claims, more, granted } = await speaking(exchanged, () => step)
  const fault = idTokenTimeFault({ ...claims }, context.now() / 1000)
  if (fault !== undefined) throw new ProviderFailure('broken', 'token', fault)
  const believed = believedOf(provider, { ...claims }, { ...more })
  // Without a scope that it did not grant, the claim may be missing though there are groups.
  if (believed.lacks_groups && isWithheld(provider, granted))
    throw new ProviderFailure('broken', 'groups', 'NO_SCOPE_FOR_GROUPS')
  const { sid } = claims as { sid?: unknown }
  const upstream = { ...believed, ...(isText(sid) && { session: upstreamSession(provider, sid) }) }
  return provider.kind === 'apple' ? { ...upstream, introduced: appleName(answer.user) } : upstream
}

/** Whether a provider says that it granted less than it was asked for (RFC 6749 §5.1). */
function isWithheld({ scope }: Provider, granted: string | undefined): boolean {
  const given = granted?.split(/[\s,]+/)
  return given !== undefined && scope.some((name) => !given.includes(name))
}

/**
 * @param stepOf what was asked for last
 * @throws ProviderFailure instead of what the provider or the way to it did wrong; StorageUnavailable
 */
async function speaking<T>(asked: Promise<T>, stepOf: () => ProviderStep): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof StorageUnavailable || error instanceof ProviderFailure) throw error
    const {
      code,
      error: told,
      cause,
    } = error as { code?: unknown; error?: unknown; cause?: { code?: unknown; status?: unknown } }
    // RFC 6749 §4.1.2.1: what the browser brought back as `error`.
    if (code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') throw new ProviderFailure('denied', 'answer', told)
    // The answer itself, if its status or its form was wrong.
    const status = typeof cause?.status === 'number' && cause.status >= 400 && statusCode(cause.status)
    throw new ProviderFailure('broken', stepOf(), told, cause?.code, status, code)
  }
}
