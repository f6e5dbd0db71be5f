import { isObject, parseObject } from '../core/json.ts'
import { statusCode } from '../core/third-parties.ts'
import { randomText } from '../core/token-string.ts'
import { isUrl } from '../core/uri.ts'
import type { GuardedFetch } from '../outbound/guarded-fetch.ts'
import { answersByForm } from './apple.ts'
import { callbackOf } from './callback.ts'
import { clientSecretProblem, openClientSecret } from './client-secret.ts'
import { examineGitHub } from './examine-github.ts'
import { examineGroups } from './examine-groups.ts'
import { examineSecret } from './examine-secret.ts'
import type { ExamineContext, ProviderCheck } from './examined.ts'
import type { Provider } from './provider-record.ts'
import { discover, type RelyingParty } from './relying-party.ts'

/**
 * Finds out what is wrong with the record of a provider, by asking the provider as a sign-in does. It stops where nothing
 * further can be asked.
 * @throws StorageUnavailable; StoredKeyError if the key of the secret cannot be used
 */
export async function examineProvider(context: ExamineContext, provider: Provider): Promise<ProviderCheck[]> {
  if (provider.kind === 'github') return examineGitHub(context, provider)
  const secret = await openClientSecret(context, provider)
  const problem = secret === undefined ? undefined : clientSecretProblem(provider, secret)
  if (problem !== undefined) return [{ about: 'secret', result: 'wrong', detail: `The secret ${problem}.` }]
  let party: RelyingParty
  try {
    party = await discover(context.fetch, provider, secret, context.now)
  } catch (error) {
    return [{ about: 'discovery', result: 'wrong', detail: discoveryProblem(error) }]
  }
  const { authorization_endpoint, token_endpoint, jwks_uri, claims_supported } =
    party.configuration.serverMetadata()
  if (!isHttps(authorization_endpoint) || !isHttps(token_endpoint) || !isHttps(jwks_uri)) {
    const detail =
      'Its discovery document lacks an https address of the authorization endpoint, the token endpoint or the keys.'
    return [{ about: 'discovery', result: 'wrong', detail }]
  }
  const callback = callbackOf(context.settings, provider.provider)
  return [
    { about: 'discovery', result: 'ok', detail: 'The discovery document is there, and is of this issuer.' },
    await examineKeys(context.fetch, jwks_uri),
    await examineCallback(context.fetch, provider, authorization_endpoint, callback),
    await examineSecret(context, provider, party, secret),
    ...(await examineGroups(context.storage, provider, textsIn(claims_supported))),
  ]
}

const textsIn = (list: unknown) => (Array.isArray(list) ? list.map(String) : undefined)

const isHttps = (url: string | undefined): url is string =>
  url !== undefined && isUrl(url) && new URL(url).protocol === 'https:'

// The messages of openid-client may quote the answer, so that only its codes are used.
function discoveryProblem(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown; status?: unknown } }
  const status = Number(cause?.status)
  const why = [code, cause?.code].find((text) => typeof text === 'string' && /^[A-Z_]{2,40}$/.test(text))
  if (why === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    return 'The discovery document is of another issuer: set the issuer to exactly what it says as "issuer".'
  }
  // Where nothing is wrong with the address, it does not answer now.
  if (status >= 500) return `The discovery document cannot be read (${statusCode(status)}): ask again later.`
  if (why === 'OAUTH_RESPONSE_IS_NOT_CONFORM') {
    return 'The issuer answers no discovery document at /.well-known/openid-configuration: is the issuer right?'
  }
  const private_host =
    why === 'ENOTPUBLIC' ? ' Its address is not public: name its host in ISSUER_PRIVATE_HOSTS.' : ''
  return `The discovery document cannot be read (${why ?? 'no answer'}).${private_host}`
}

async function examineKeys(fetch: GuardedFetch, jwks_uri: string): Promise<ProviderCheck> {
  const about = 'keys'
  try {
    const response = await fetch(jwks_uri, { method: 'GET', headers: { accept: 'application/json' } })
    const { keys } = parseObject(await response.text()) ?? {}
    const has_keys = response.status === 200 && Array.isArray(keys) && keys.some(isObject)
    if (has_keys) return { about, result: 'ok', detail: 'Its keys are there.' }
  } catch {
    // As an answer without keys.
  }
  return { about, result: 'wrong', detail: 'Its keys cannot be read: no id_token can be checked.' }
}

async function examineCallback(
  fetch: GuardedFetch,
  provider: Provider,
  endpoint: string,
  callback: string,
): Promise<ProviderCheck> {
  const about = 'callback'
  const { client_id, scope } = provider
  const url = new URL(endpoint)
  const asked = {
    client_id,
    redirect_uri: callback,
    response_type: 'code',
    scope: scope.join(' '),
    state: randomText(16),
    nonce: randomText(16),
    code_challenge: randomText(32),
    code_challenge_method: 'S256',
    ...(answersByForm(provider) ? { response_mode: 'form_post' } : { prompt: 'none' }),
  }
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
  const answer = await fetch(url.href, { method: 'GET', headers: { accept: 'text/html' } }).catch(
    () => undefined,
  )
  const location = answer?.headers.get('location') ?? ''
  if (location.startsWith(`${callback}?`)) {
    const error = new URL(location).searchParams.get('error')
    if (error === 'invalid_scope') return { about, result: 'wrong', detail: 'It refuses the scope.' }
    return { about, result: 'ok', detail: 'It knows the client_id and the callback address.' }
  }
  if (answer !== undefined && answer.status >= 400 && answer.status < 500) {
    const detail = `It refuses the client_id or the callback address: register exactly ${callback} there.`
    return { about, result: 'wrong', detail }
  }
  return {
    about,
    result: 'unknown',
    detail: `It does not say whether it accepts the callback address ${callback}.`,
  }
}
