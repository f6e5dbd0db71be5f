// The parameters of a backchannel authentication request (OpenID Connect CIBA Core §7.1), one function each.
import type { Client } from '../clients/record/client-record.ts'
import { acrForAll } from '../core/acr.ts'
import { invalidBindingMessage, malformedAsk } from '../core/ask-errors.ts'
import type { Parameters } from '../core/parameters.ts'
import { unmetAuthenticationRequirements } from '../core/request-errors.ts'
import { scopeNames } from '../core/scope.ts'
import type { CheckedDetail } from '../details/check-details.ts'

const MAX_MESSAGE = 64
const MESSAGE = /^[\p{Script=Latin}0-9 \-.,:/€$£]*$/u
// A dot between letters, or two slashes: people take it for something to open.
const ADDRESS = /\p{L}\.\p{L}|\/\//u

/**
 * Returns the message that the person sees beside what is asked; undefined: there is none. Its alphabet is closed, so that
 * it has no address, no second line, no other direction and no letters that look like others.
 * @throws OAuthError `invalid_binding_message`
 */
export function readBindingMessage({ binding_message: given }: Parameters): string | undefined {
  if (given === undefined) return undefined
  const message = given.normalize('NFC').trim()
  if (message.length > MAX_MESSAGE) throw invalidBindingMessage('it is too long')
  if (!MESSAGE.test(message)) throw invalidBindingMessage('it has another character')
  if (ADDRESS.test(message)) throw invalidBindingMessage('it has an address')
  return message === '' ? undefined : message
}

// RFC 6750 §2.1.
const BEARER = /^[A-Za-z0-9\-._~+/]+=*$/
const MAX_NOTIFICATION_TOKEN = 1024
// 128 bits in base64url (CIBA §7.1).
const MIN_NOTIFICATION_TOKEN = 22

/**
 * Returns what the server shows to the client when it tells of the answer; undefined: the client polls.
 * @throws OAuthError `invalid_request`
 */
export function readNotificationToken(
  { client_notification_token: token = '' }: Parameters,
  { backchannel_client_notification_endpoint: endpoint }: Client,
): string | undefined {
  if (endpoint === undefined) return undefined
  const { length } = token
  if (length < MIN_NOTIFICATION_TOKEN || length > MAX_NOTIFICATION_TOKEN || !BEARER.test(token))
    throw malformedAsk(
      'client_notification_token',
      `a bearer token of ${MIN_NOTIFICATION_TOKEN} to ${MAX_NOTIFICATION_TOKEN} characters`,
    )
  return token
}

/** How long a client may let a request wait, in seconds. */
export const MAX_ASK_TTL = 600

/**
 * Returns for how many seconds a request waits.
 * @param given seconds, if the request says none
 * @throws OAuthError `invalid_request`
 */
export function readExpiry({ requested_expiry }: Parameters, given: number): number {
  if (requested_expiry === undefined) return given
  if (!/^[1-9]\d{0,5}$/.test(requested_expiry))
    throw malformedAsk('requested_expiry', 'a number of seconds, 1 or more')
  return Math.min(Number(requested_expiry), MAX_ASK_TTL)
}

/**
 * Returns the acr values of which the sign-in must have one; undefined: the request wants none. A way to sign in must have
 * one that does for the client and the details as well.
 * @throws OAuthError `unmet_authentication_requirements`
 */
export function readAcrValues(
  { acr_values }: Parameters,
  { required_acr }: Pick<Client, 'required_acr'>,
  details: readonly CheckedDetail[],
  reachable: readonly string[],
): readonly string[] | undefined {
  const asked = acr_values === undefined ? undefined : scopeNames(acr_values)
  const demanded = acrForAll(asked, required_acr, ...details.map(({ type }) => type.required_acr))
  if (demanded === undefined || demanded.some((acr) => reachable.includes(acr))) return asked
  throw unmetAuthenticationRequirements(
    'acr_impossible',
    'No way of signing in here has the acr that is demanded.',
    { received: { acr: demanded }, expected: { acr: reachable } },
  )
}
