import { readEmail } from '../core/email-address.ts'
import { isObject, parseJson } from '../core/json.ts'
import type { Parameters as Answer } from '../core/parameters.ts'
import { statusCode } from '../core/third-parties.ts'
import { randomText } from '../core/token-string.ts'
import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import { s256Challenge } from '../tokens/pkce.ts'
import { callbackOf } from './callback.ts'
import { openClientSecret } from './client-secret.ts'
import { gitHubGroups } from './github-groups.ts'
import type { PartyContext } from './parties.ts'
import type { Provider } from './provider-record.ts'
import {
  type Departure,
  ProviderFailure,
  type ProviderStep,
  type UpstreamRound,
  type UpstreamUser,
  upstreamLink,
  type Wish,
} from './upstream.ts'

/** GitHub speaks OAuth 2.0 without OpenID Connect: who somebody is, its API says. */
const GITHUB = 'https://github.com'

/** The addresses of github.com, or of a GitHub Enterprise Server. */
export function gitHubAddresses({ issuer }: Pick<Provider, 'issuer'>) {
  return {
    authorize: `${issuer}/login/oauth/authorize`,
    token: `${issuer}/login/oauth/access_token`,
    api: issuer === GITHUB ? 'https://api.github.com' : `${issuer}/api/v3`,
  }
}

/** Starts a visit to GitHub. */
export function departToGitHub(context: PartyContext, provider: Provider, { is_again }: Wish): Departure {
  const kept: UpstreamRound = { nonce: '', code_verifier: randomText(32) }
  const location = new URL(gitHubAddresses(provider).authorize)
  const parameters = {
    client_id: provider.client_id,
    redirect_uri: callbackOf(context.settings, provider.provider),
    scope: provider.scope.join(' '),
    code_challenge: s256Challenge(kept.code_verifier),
    code_challenge_method: 'S256',
    // It has nothing that asks for a sign-in, and does not say when there was one.
    ...(is_again && { prompt: 'select_account' }),
  }
  for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value)
  return { location, kept }
}

/**
 * Takes the answer of GitHub. Its access token is used at once, and not kept.
 * @throws ProviderFailure; StorageUnavailable
 */
export async function returnFromGitHub(
  context: PartyContext,
  fetch: GuardedFetch,
  provider: Provider,
  { code, error }: Answer,
  { code_verifier }: UpstreamRound,
): Promise<UpstreamUser> {
  if (error !== undefined || code === undefined) throw new ProviderFailure('denied', 'answer', error)
  const { token, api } = gitHubAddresses(provider)
  const client_secret = (await openClientSecret(context, provider)) ?? ''
  const { client_id } = provider
  const redirect_uri = callbackOf(context.settings, provider.provider)
  const form = new URLSearchParams({ client_id, client_secret, code, code_verifier, redirect_uri })
  // An error has the status 200, too.
  const answer = await read(fetch, 'token', token, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  })
  const { access_token, token_type = 'bearer', scope, error: refused } = isObject(answer) ? answer : {}
  if (typeof access_token !== 'string' || String(token_type).toLowerCase() !== 'bearer') {
    throw new ProviderFailure('broken', 'token', refused)
  }
  const headers = {
    accept: 'application/vnd.github+json',
    authorization: `Bearer ${access_token}`,
    'user-agent': 'redmint',
  }
  const [user, emails, groups] = await Promise.all([
    read(fetch, 'userinfo', `${api}/user`, { method: 'GET', headers }),
    // Without the scope for it there is no address.
    read(fetch, 'userinfo', `${api}/user/emails`, { method: 'GET', headers }).catch(() => []),
    gitHubGroups(provider, scope, (path) => read(fetch, 'groups', api + path, { method: 'GET', headers })),
  ])
  const { id, name } = isObject(user) ? user : {}
  // Somebody else can get a login that was given up.
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) {
    throw new ProviderFailure('broken', 'userinfo', 'NO_SUBJECT')
  }
  return {
    link: upstreamLink(provider, String(id)),
    email: addressIn(emails),
    profile: typeof name === 'string' && name !== '' ? { name } : {},
    groups,
    seen: {},
  }
}

function addressIn(emails: unknown) {
  const entries = Array.isArray(emails) ? emails.filter(isObject) : []
  const found = entries.find(({ primary, verified }) => primary === true && verified === true)
  return typeof found?.email === 'string' ? readEmail(found.email) : undefined
}

async function read(
  fetch: GuardedFetch,
  step: ProviderStep,
  url: string,
  init: Parameters<GuardedFetch>[1],
): Promise<unknown> {
  let status: number
  let text: string
  try {
    const response = await fetch(url, init)
    status = response.status
    text = await response.text()
  } catch (error) {
    throw new ProviderFailure('broken', step, (error as { code?: unknown }).code)
  }
  if (status !== 200) throw new ProviderFailure('broken', step, statusCode(status))
  return parseJson(text)
}
