import { parseObject } from '../core/json.ts'
import { randomText } from '../core/token-string.ts'
import { callbackOf } from './callback.ts'
import { openClientSecret } from './client-secret.ts'
import { examineGroups } from './examine-groups.ts'
import type { ExamineContext, ProviderCheck } from './examined.ts'
import { gitHubAddresses } from './github.ts'
import type { Provider } from './provider-record.ts'

/**
 * Finds out what is wrong with the record of GitHub, which has no discovery document: it is asked with a code that it
 * never gave.
 * @throws as examineProvider
 */
export async function examineGitHub(context: ExamineContext, provider: Provider): Promise<ProviderCheck[]> {
  const redirect_uri = callbackOf(context.settings, provider.provider)
  const callback: ProviderCheck = {
    about: 'callback',
    result: 'unknown',
    detail: `It does not say whether it accepts the callback address ${redirect_uri}.`,
  }
  const client_secret = await openClientSecret(context, provider)
  if (client_secret === undefined) {
    const detail =
      'There is no secret, or it was for another issuer or client_id: set it with redmint provider secret.'
    return [callback, { about: 'secret', result: 'wrong', detail }]
  }
  const { client_id } = provider
  const form = new URLSearchParams({ client_id, client_secret, code: randomText(16), redirect_uri })
  const answer = await context
    .fetch(gitHubAddresses(provider).token, {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    })
    .then((response) => response.text())
    .catch(() => '')
  const secret: ProviderCheck = { about: 'secret', ...judge(parseObject(answer)?.error, redirect_uri) }
  return [callback, secret, ...(await examineGroups(context.storage, provider))]
}

function judge(error: unknown, redirect_uri: string): Omit<ProviderCheck, 'about'> {
  switch (error) {
    case 'bad_verification_code':
      return { result: 'ok', detail: 'It accepts the secret.' }
    case 'incorrect_client_credentials':
      return {
        result: 'wrong',
        detail:
          'It refuses the client_id with this secret: set the secret again with redmint provider secret.',
      }
    case 'redirect_uri_mismatch':
      return {
        result: 'wrong',
        detail: `It refuses the callback address: register exactly ${redirect_uri} there.`,
      }
    default:
      return { result: 'unknown', detail: 'It does not answer as GitHub does: is the issuer right?' }
  }
}
