import { type RequestObjectContext, readRequestObject } from '../authorize/request-object.ts'
import { authenticateClient, type Caller } from '../clients/authentication/client-auth.ts'
import type { Client } from '../clients/record/client-record.ts'
import { CIBA } from '../clients/record/grant-types.ts'
import type { Settings } from '../config/settings.ts'
import { isAdminScope } from '../core/admin-scopes.ts'
import { asksOff, malformedAsk } from '../core/ask-errors.ts'
import type { ReportEvent } from '../core/events.ts'
import { invalidScope } from '../core/grant-errors.ts'
import type { Parameters as RequestParameters } from '../core/parameters.ts'
import { signingRequired } from '../core/request-errors.ts'
import { hasNoScope, scopeNames } from '../core/scope.ts'
import { newFamilyId, newToken } from '../core/token-string.ts'
import { type CheckedDetail, checkDetails, checkedText } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import { checkGrantType } from '../grants/pipeline.ts'
import { acrValuesOf, type SignInMethods } from '../interaction/sign-in-method.ts'
import { findResources, idsOf, scopeAt, type TargetContext } from '../resources/target.ts'
import { write } from '../storage/records.ts'
import { ASKED, ASKED_KIND, type AskedRecord } from '../tokens/asked-record.ts'
import { waitingIdOf } from '../tokens/waiting-code.ts'
import type { BackchannelAuthentication } from './ask-answer.ts'
import { readAcrValues, readBindingMessage, readExpiry, readNotificationToken } from './ask-parameters.ts'
import { type AskedPersonContext, findAsked } from './asked-person.ts'
import { evenTime } from './even-time.ts'
import { HINTS, type HintContext, readHint } from './hint.ts'
import { type InboxContext, putAsk } from './inbox.ts'
import { type PingSealer, sealPing } from './ping.ts'

/** What the backchannel authentication endpoint works with. */
export type AskPersonContext = Parameters<typeof authenticateClient>[0] &
  AskedPersonContext &
  InboxContext &
  TargetContext &
  DetailsContext &
  RequestObjectContext &
  HintContext &
  PingSealer & {
    readonly methods: SignInMethods
    readonly report: ReportEvent
    readonly settings: Pick<Settings, 'ask_ttl' | 'device_interval' | 'issuer'>
  }

/**
 * Answers a backchannel authentication request (CIBA §7): a client asks a person who need not be there. Whether the person
 * exists, can be asked or is asked already changes neither the answer nor the steps.
 * @throws OAuthError; StorageUnavailable
 */
export async function askPerson(
  context: AskPersonContext,
  sent: RequestParameters,
  caller: Caller,
): Promise<BackchannelAuthentication> {
  const { settings, storage, methods, report, now } = context
  const client = await authenticateClient(context, caller, sent)
  checkGrantType({ grant_type: CIBA }, client)
  if (!client.asks_people) throw asksOff()
  const parameters = await readSigned(context, client, sent)
  // The hint of an issuer is looked up already where it is read.
  const began = performance.now()
  const hint = await readHint(context, client, parameters)
  const binding_message = readBindingMessage(parameters)
  const expires_in = readExpiry(parameters, settings.ask_ttl)
  const token = readNotificationToken(parameters, client)
  const { details, ...asked } = await readAsked(context, client, parameters)
  const acr_values = readAcrValues(parameters, client, details, acrValuesOf(methods))?.join(' ')
  const person = await findAsked(context, client, hint)
  const auth_req_id = newToken(newFamilyId())
  const { client_id } = client
  const record: AskedRecord = {
    ...{ kind: ASKED_KIND, client_id, asked: person.key, ...asked },
    ...(binding_message && { binding_message }),
    ...(acr_values && { acr_values }),
    ...(token && { ping: sealPing(context, { auth_req_id, token }) }),
    address: caller.address(),
    asked_at: new Date(now()).toISOString(),
    status: 'pending',
    interval: String(settings.device_interval),
  }
  const id = waitingIdOf(auth_req_id) ?? ''
  // Before anybody can see that it waits.
  await storage.records.put(write(ASKED, id, record, expires_in))
  const problem = (await putAsk(context, person.key, id, record, expires_in)) ?? person.problem
  const { user } = person
  const about = user && { username: user.username, sub: user.sub }
  if (problem !== undefined || about === undefined)
    report({ event: 'ask_dropped', reason: problem ?? 'unknown', client_id, ...about })
  else report({ event: 'person_asked', client_id, expires_in, ...about })
  // CIBA §14: names must not be guessed by the time either.
  await evenTime(began)
  return { auth_req_id, expires_in, interval: settings.device_interval }
}

/**
 * Returns the parameters of a request: those that its client signed, and then no others (CIBA §7.1.1).
 * @throws OAuthError; StorageUnavailable
 */
async function readSigned(
  context: AskPersonContext,
  client: Client,
  sent: RequestParameters,
): Promise<RequestParameters> {
  if (sent.request !== undefined) return readRequestObject(context, sent.request, client, SIGNED)
  if (client.require_signed_request_object) throw signingRequired()
  return sent
}

const SIGNED = [
  ...['scope', 'resource', 'authorization_details', 'acr_values', 'binding_message', 'requested_expiry'],
  ...[...HINTS, 'client_notification_token'],
]

/** What a request asks for, as the record has it. @throws OAuthError; StorageUnavailable */
async function readAsked(
  context: AskPersonContext,
  client: Client,
  parameters: RequestParameters,
): Promise<
  Pick<AskedRecord, 'scope' | 'resource' | 'authorization_details'> & { details: readonly CheckedDetail[] }
> {
  const { resource, authorization_details } = parameters
  if (hasNoScope(parameters) && authorization_details === undefined)
    throw malformedAsk('scope', 'given, or authorization_details: what the person allows')
  const resources = resource === undefined ? [] : await findResources(context, resource)
  // RFC 8707 §2.2.
  const scope = scopeAt(resources, client, parameters)
  // Nobody gives such a right to a program that is somewhere else, and cannot show a code.
  const rights = scopeNames(scope).filter(isAdminScope)
  if (rights.length > 0)
    throw invalidScope('scope_not_allowed', 'No question gives a right at the admin API.', {
      received: { scope: rights },
    })
  const details =
    authorization_details === undefined ? [] : await checkDetails(context, client, authorization_details)
  const text = checkedText(details)
  return {
    details,
    scope,
    ...(resources.length > 0 && { resource: idsOf(resources) }),
    ...(text !== '' && { authorization_details: text }),
  }
}
