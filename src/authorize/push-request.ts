import { type Static, Type } from '@sinclair/typebox'
import { type ClientAuthContext, proveClient } from '../clients/authentication/client-auth.ts'
import { keyOfRequest, type ProvingCaller } from '../clients/authentication/client-proof.ts'
import { usedBefore } from '../clients/authentication/used-before.ts'
import type { ClientRegistry } from '../clients/client-registry.ts'
import { describedItself } from '../clients/keys/client-keys.ts'
import type { Settings } from '../config/settings.ts'
import { invalidRequest } from '../core/errors.ts'
import { type Parameters, parametersFrom, pickParameters } from '../core/parameters.ts'
import { tooManyPushed } from '../core/request-errors.ts'
import { hasNoScope } from '../core/scope.ts'
import { newFamilyId, newToken } from '../core/token-string.ts'
import type { ProofContext } from '../dpop/check-proof.ts'
import { bytesKept, MAX_REQUEST_BYTES } from '../interaction/pending-request.ts'
import { keptFor, PUSHED, type PushedRecord, REQUEST_URI_PREFIX } from '../interaction/pushed-request.ts'
import { countByAddress } from '../limits/address-limit.ts'
import { write } from '../storage/records.ts'
import type { Storage } from '../storage/storage.ts'
import { checkRequest, identifyTarget } from './check-request.ts'
import type { CheckContext } from './checks.ts'
import { PUSHED_PARAMETERS } from './request.ts'
import { type RequestObjectContext, readRequestObject } from './request-object.ts'

/** The body of the answer to a pushed authorization request (RFC 9126 §2.2). */
export const PushedRequest = Type.Object(
  {
    request_uri: Type.String({ description: 'What the authorization request sends instead of parameters' }),
    expires_in: Type.Integer({ description: 'For how many seconds it can be used' }),
  },
  { $id: 'redmint:PushedRequest', description: 'The reference to a pushed authorization request' },
)
export type PushedRequest = Static<typeof PushedRequest>

/** What the pushed authorization request endpoint works with. */
export type PushContext = ClientAuthContext &
  ProofContext &
  CheckContext &
  RequestObjectContext & {
    readonly clients: Pick<ClientRegistry, 'demand'>
    readonly settings: Pick<
      Settings,
      'client_registration' | 'demo' | 'par_requests' | 'par_ttl' | 'sign_in_ttl'
    >
    readonly storage: Pick<Storage, 'counters' | 'families' | 'bounded'>
  }

/**
 * Answers a pushed authorization request (RFC 9126 §2). The checks are those of the authorization endpoint, and the
 * client learns of every error here. The step that writes the request also uses up the assertion of the client, and a
 * DPoP proof of the key of the code (RFC 9449 §10.1).
 * Anybody can send requests as a public client, or describe a client, so their requests are limited by address;
 * docs/decisions/0063 has the bound of all requests.
 * @throws OAuthError; StorageUnavailable
 */
export async function pushRequest(
  context: PushContext,
  sent: Parameters,
  caller: ProvingCaller,
): Promise<PushedRequest> {
  const { settings, storage, clients, now } = context
  const { client, single_uses: of_client } = await proveClient(context, caller, sent)
  const { client_id } = client
  // RFC 9126 §2.1.
  if (sent.request_uri !== undefined) {
    throw invalidRequest(
      'request_uri_pushed',
      'request_uri must not be pushed: push the parameters of the request.',
      { received: { parameter: 'request_uri' } },
    )
  }
  // RFC 9126 §3: beside a request object, only the parameters that authenticate the client count.
  const is_signed = sent.request !== undefined
  const asked = sent.request === undefined ? sent : await readRequestObject(context, sent.request, client)
  const { parameters, single_uses: of_key } = keyOfRequest(
    context,
    caller,
    client,
    parametersFrom(asked, { client_id }),
  )
  const single_uses = [...of_client, ...of_key]
  const target = await identifyTarget('par', { parameters, clients, client, settings })
  const { scope, hinted_sub } = await checkRequest('par', parameters, target, context, is_signed)
  const id = newToken(newFamilyId())
  const record = {
    client_id,
    parameters: pickParameters(parameters, PUSHED_PARAMETERS),
    ...(hasNoScope(parameters) && { default_scope: scope }),
    ...(hinted_sub !== undefined && { hinted_sub }),
    expires_at: now() + settings.par_ttl * 1000,
  }
  if (client.is_public || describedItself(client)) await limit(context, record, caller.address())
  const used = await storage.families.useOnce(
    single_uses,
    client_id,
    write(PUSHED, id, record, keptFor(settings)),
  )
  if (used !== 'ok') throw usedBefore(used, client_id)
  return { request_uri: REQUEST_URI_PREFIX + id, expires_in: settings.par_ttl }
}

async function limit(
  { storage, settings }: PushContext,
  record: PushedRecord,
  address: string,
): Promise<void> {
  const { client_id } = record
  // With details it may be longer than others, and counts as so many of these.
  const weight = Math.ceil(bytesKept(record) / MAX_REQUEST_BYTES)
  const limit = { group: 'pushed', max: settings.par_requests, window: keptFor(settings), weight } as const
  const exceeded = await countByAddress(storage, address, limit)
  if (exceeded === undefined) return
  const { retry_after, is_first } = exceeded
  throw tooManyPushed(
    retry_after,
    is_first ? { event: 'pushing_limited', client_id, retry_after } : undefined,
  )
}
