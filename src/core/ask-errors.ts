// The errors of what a client asks a person (OpenID Connect CIBA Core §11 and §13).
import { invalidRequest, OAuthError } from './errors.ts'
import { NOT_STORED, unauthorizedClient } from './grant-errors.ts'
import type { Facts } from './reasons.ts'

/** The client may not ask people (CIBA §13): an operator has not allowed it. */
export const asksOff = () =>
  unauthorizedClient(
    'ask_off',
    'This client may not ask people: an operator can set its field asks_people.',
    { expected: { asks_people: true } },
  )

/** A request names no person, or in several ways (CIBA §7.1). */
export const oneHint = (sent: readonly string[], accepted: readonly string[]) =>
  invalidRequest('ask_hint', `The request needs one of ${accepted.join(', ')}, and one alone.`, {
    received: { parameters: sent },
    expected: { parameters: accepted },
  })

/** A hint of which it can be told that it names nobody, without a look at any account (CIBA §13). */
export const unusableHint = (description: string, received?: Facts) =>
  invalidRequest('ask_hint', description, received && { received })

/** What a trusted issuer says of the person is over (CIBA §13). */
export const expiredHintToken = () =>
  new OAuthError(
    'expired_login_hint_token',
    'ask_hint',
    'The login_hint_token has expired, or is not valid yet: get a new one.',
    { received: { fault: 'expired' } },
  )

/** The message that the person is to see is not one that redmint shows (CIBA §13). */
export const invalidBindingMessage = (fault: string) =>
  new OAuthError(
    'invalid_binding_message',
    'ask_message',
    'binding_message must be at most 64 letters of the Latin script, digits, spaces and - . , : / € $ £, and no address.',
    { received: { fault } },
  )

/** A parameter of the request has another form (CIBA §7.1). */
export const malformedAsk = (parameter: string, form: string) =>
  invalidRequest('ask_malformed', `${parameter} must be ${form}.`, { received: { parameter } })

/** The person said no (CIBA §11). */
export const askDenied = () =>
  new OAuthError('access_denied', 'ask_denied', 'The person did not agree.', {
    received: { decision: 'deny' },
  })

/** The question is not open any more (CIBA §11). @param lifetime in seconds, if its request said none */
export const askExpired = (lifetime: number) =>
  new OAuthError('expired_token', 'ask_ended', 'Nobody answered in time: ask again.', {
    received: { fault: NOT_STORED },
    expected: { within_seconds: lifetime },
  })
