import { randomText } from '../core/token-string.ts'
import { callbackOf } from './callback.ts'
import type { ExamineContext, ProviderCheck } from './examined.ts'
import type { Provider } from './provider-record.ts'
import { discover, type RelyingParty, type TokenAuthMethod, tokenAuthOf } from './relying-party.ts'

const about = 'secret'
const NAMES = { client_secret_basic: 'by Basic', client_secret_post: 'in the form' } as const

/**
 * Finds out whether a provider takes the secret, and how it wants to have it: it is asked with a code that it never gave.
 * Who is right about the secret hears that the code is wrong.
 * @param secret undefined: there is none, or the stored one cannot be opened
 */
export async function examineSecret(
  context: ExamineContext,
  provider: Provider,
  party: RelyingParty,
  secret: string | undefined,
): Promise<ProviderCheck> {
  if (provider.client_secret_sealed !== undefined && secret === undefined) {
    const detail =
      'The stored secret was for another issuer or client_id, or its key is gone: set it again with redmint provider secret.'
    return { about, result: 'wrong', detail }
  }
  if (secret === undefined) {
    return { about, result: 'unknown', detail: 'There is no secret: only a public client needs none.' }
  }
  const callback = callbackOf(context.settings, provider.provider)
  const taken = await takes(party, callback)
  if (provider.kind === 'apple') return judge(taken, ', the team_id and the key_id')
  const method = tokenAuthOf(provider, party.configuration.serverMetadata())
  if (taken !== false) return judge(taken, '', NAMES[method])
  // Some register one method for each client, whatever their discovery document says.
  const other: TokenAuthMethod =
    method === 'client_secret_basic' ? 'client_secret_post' : 'client_secret_basic'
  const otherwise = { ...provider, token_endpoint_auth_method: other }
  const is_taken = await discover(context.fetch, otherwise, secret, context.now)
    .then((otherParty) => takes(otherParty, callback))
    .catch(() => undefined)
  if (is_taken !== true) return judge(false)
  const detail = `It refuses the secret ${NAMES[method]} and accepts it ${NAMES[other]}: set token_endpoint_auth_method to ${other}.`
  return { about, result: 'wrong', detail }
}

/** Whether a provider takes the secret; undefined: it does not say. */
async function takes(
  { client, configuration }: RelyingParty,
  callback: string,
): Promise<boolean | undefined> {
  const parameters = { code: randomText(32), redirect_uri: callback, code_verifier: randomText(32) }
  const error = await client
    .genericGrantRequest(configuration, 'authorization_code', parameters)
    .then(() => undefined)
    .catch((failure: { error?: unknown; code?: unknown }) => failure.error ?? failure.code)
  if (error === 'invalid_grant') return true
  return ['invalid_client', 'unauthorized_client', 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'].includes(String(error))
    ? false
    : undefined
}

function judge(is_taken: boolean | undefined, others = '', how = ''): ProviderCheck {
  if (is_taken === true) return { about, result: 'ok', detail: `It accepts the secret${how && ` ${how}`}.` }
  if (is_taken === undefined)
    return { about, result: 'unknown', detail: 'It does not say whether the secret is right.' }
  const detail = `It refuses the client_id with this secret${others}: set the secret again with redmint provider secret.`
  return { about, result: 'wrong', detail }
}
