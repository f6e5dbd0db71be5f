// The rules of an authorization request, one function each. check-request.ts has their order.

import type { ClientRegistry } from '../clients/client-registry.ts'
import { previewUriProblem } from '../clients/previews/preview-uri.ts'
import type { Client } from '../clients/record/client-record.ts'
import { isPreviewId } from '../clients/record/preview-fields.ts'
import { demandsSignedResponses } from '../clients/record/profiles.ts'
import {
  loggedAddress,
  matchesRedirectUri,
  nearestRedirectUri,
  portRuleOf,
} from '../clients/record/redirect-uri.ts'
import type { Settings } from '../config/settings.ts'
import { invalidRequest } from '../core/errors.ts'
import { notRegisteredFor } from '../core/grant-errors.ts'
import { faultIn, type Parameters, parametersFrom, pickParameters, required } from '../core/parameters.ts'
import { PATHS } from '../core/paths.ts'
import {
  pushingRequired,
  requestNotSupported,
  signingRequired,
  unsupportedResponseType,
} from '../core/request-errors.ts'
import { checkDetails, demandPushed } from '../details/check-details.ts'
import type { DetailsContext } from '../details/detail-types.ts'
import { isJwkThumbprint } from '../dpop/proof-key.ts'
import { isTooLong, MAX_REQUEST_BYTES } from '../interaction/pending-request.ts'
import type { SignInMethods } from '../interaction/sign-in-method.ts'
import { findResources, scopeAt, type TargetContext } from '../resources/target.ts'
import type { VerifyingKeys } from '../tokens/jws.ts'
import { isS256Challenge } from '../tokens/pkce.ts'
import {
  type AuthorizationRequest,
  RESPONSE_MODES,
  SIGNED_PARAMETERS,
  type Target,
  UNSUPPORTED_PARAMETERS,
  waitingRequest,
} from './request.ts'

/** What the checks that come before a Target work with. */
export interface Draft {
  readonly parameters: Parameters
  readonly clients: Pick<ClientRegistry, 'demand'>
  readonly settings: Pick<Settings, 'client_registration' | 'demo'>
  /** The client: found by checkClient, or given by an endpoint that authenticated it. */
  readonly client?: Client
}

/** A check before there is a Target. It returns what it found. */
export type TargetCheck = (draft: Draft) => CheckedPart<Target> | Promise<CheckedPart<Target>>
/** A check of a request whose Target is known. It returns what it read. */
export type RequestCheck = (
  parameters: Parameters,
  target: Target,
  context: CheckContext,
  found: CheckedPart<AuthorizationRequest>,
) => CheckedPart<AuthorizationRequest> | Promise<CheckedPart<AuthorizationRequest>>
/** What checks depend on. */
export type CheckContext = TargetContext &
  DetailsContext & {
    readonly settings: Pick<
      Settings,
      'issuer' | 'require_pushed_authorization_requests' | 'scope_claims' | 'sign_up'
    >
    readonly keys: VerifyingKeys
    readonly methods: SignInMethods
  }
/** A part of what a check reads. */
export type CheckedPart<T> = Partial<T>

/**
 * Both parameters are required: without them nothing can be redirected (RFC 6749 §4.1.2.1), and neither if nobody can
 * read in which mode. A client that sends a request_uri which was not pushed here, or a request or request_uri that
 * cannot be read, may leave out redirect_uri for that reason, so that is the error it gets.
 */
export function checkRequired({ parameters }: Draft): CheckedPart<Target> {
  required(parameters, 'client_id')
  if (parameters.redirect_uri === undefined) {
    if (parameters.request_uri !== undefined) throw requestNotSupported('request_uri')
    refuseFaults(parameters, ['request', 'request_uri'])
  }
  required(parameters, 'redirect_uri')
  refuseFaults(parameters, ['response_mode'])
  return {}
}

/**
 * The client is registered, enabled and well-formed, or its document describes it (RFC 6749 §4.1.2.1).
 * @throws StorageUnavailable
 */
export async function checkClient({
  parameters,
  clients,
  settings,
}: Omit<Draft, 'client'>): Promise<Pick<Target, 'client'>> {
  const client_id = required(parameters, 'client_id')
  const client = await clients.demand(client_id)
  if (client === undefined) throw unknownClient(settings, client_id)
  return { client }
}

/** The redirect_uri is one that the client registered, character by character (RFC 9700 §2.1). */
export function checkRedirectUri({ parameters, client, settings }: Draft): CheckedPart<Target> {
  if (client === undefined) throw unknownClient(settings)
  const redirect_uri = required(parameters, 'redirect_uri')
  if (!matchesRedirectUri(redirect_uri, client.redirect_uris, portRuleOf(client, settings))) {
    throw invalidRequest(
      'redirect_uri_unregistered',
      'The redirect_uri is not one of those that the client registered, character by character.',
      {
        cause:
          previewUriProblem(client, redirect_uri) === undefined
            ? `it can be that of a preview, which needs a client of its own: ${MAKE_PREVIEW}`
            : nearestRedirectUri(redirect_uri, client.redirect_uris),
        received: { redirect_uri },
        expected: { redirect_uris: client.redirect_uris },
        logged: { client_id: client.client_id, redirect_uri: loggedAddress(redirect_uri) },
        // On loopback alone: elsewhere a link would show the text of a stranger on a page of ours.
        ...(settings.demo === true && { compared: { sent: redirect_uri, registered: client.redirect_uris } }),
      },
    )
  }
  return { redirect_uri }
}

/** Every known parameter can be read (RFC 6749 §4.1.2.1). It comes first: to the other checks such a one is absent. */
export function checkReadable(parameters: Parameters): CheckedPart<AuthorizationRequest> {
  refuseFaults(parameters, [...UNSUPPORTED_PARAMETERS, ...SIGNED_PARAMETERS])
  return {}
}

function refuseFaults(parameters: Parameters, names: readonly string[]): void {
  const fault = faultIn(parameters, names)
  if (fault !== undefined) throw fault
}

/**
 * Unsigned request objects, requests by reference and registrations are refused, and never fetched (OpenID Connect Core §6
 * and §7.2.1). A verified request object never comes here: its parameters replaced `request` before.
 */
export function checkUnsupported(parameters: Parameters): CheckedPart<AuthorizationRequest> {
  for (const name of UNSUPPORTED_PARAMETERS) {
    if (parameters[name] !== undefined) throw requestNotSupported(name)
  }
  return {}
}

/** A client that must sign its requests did (RFC 9101 §10.5). */
export function checkSigned(
  _parameters: Parameters,
  { client }: Target,
  _context: CheckContext,
  { is_signed }: CheckedPart<AuthorizationRequest>,
): CheckedPart<AuthorizationRequest> {
  if (client.require_signed_request_object && !is_signed) throw signingRequired()
  return {}
}

/** A client that must push its requests did, and so did every client if the server demands it (RFC 9126 §4 and §6). */
export function checkPushed(
  _parameters: Parameters,
  { client }: Target,
  { settings }: CheckContext,
): CheckedPart<AuthorizationRequest> {
  if (client.require_pushed_authorization_requests || settings.require_pushed_authorization_requests) {
    throw pushingRequired(settings.issuer + PATHS.par)
  }
  return {}
}

/** Only the authorization code flow is supported (RFC 6749 §3.1.1). */
export function checkResponseType(parameters: Parameters): CheckedPart<AuthorizationRequest> {
  if (required(parameters, 'response_type') !== 'code') {
    throw unsupportedResponseType('response_type must be code.', {
      received: { response_type: parameters.response_type ?? '' },
      expected: { response_type: 'code' },
    })
  }
  return {}
}

/** The response_mode is a supported one (OAuth 2.0 Multiple Response Types §2.1, JARM §2.3). */
export function checkResponseMode(parameters: Parameters, target: Target): CheckedPart<AuthorizationRequest> {
  if ((parameters.response_mode ?? 'query') !== target.response_mode) {
    throw invalidRequest(
      'response_mode_unsupported',
      `response_mode must be one of ${RESPONSE_MODES.join(', ')}.`,
      {
        received: { response_mode: parameters.response_mode ?? '' },
        expected: { response_mode: RESPONSE_MODES },
      },
    )
  }
  // FAPI 2.0 Message Signing §5.4.1.
  if (demandsSignedResponses(target.client) && !target.response_mode.endsWith('jwt')) {
    throw invalidRequest(
      'response_unsigned',
      'The responses to this client must be signed: send response_mode jwt (JARM).',
      {
        received: { response_mode: target.response_mode },
        expected: { response_mode: RESPONSE_MODES.filter((mode) => mode.endsWith('jwt')) },
      },
    )
  }
  return {}
}

/** The client may use the authorization code grant (RFC 6749 §4.1.2.1). */
export function checkGrantType(
  _parameters: Parameters,
  { client }: Target,
): CheckedPart<AuthorizationRequest> {
  if (!client.grant_types.includes('authorization_code')) {
    throw notRegisteredFor('authorization_code', client.grant_types)
  }
  return {}
}

/** The resources are registered (RFC 8707 §2). @throws StorageUnavailable */
export function checkResource(
  { resource }: Parameters,
  _target: Target,
  context: CheckContext,
): CheckedPart<AuthorizationRequest> | Promise<CheckedPart<AuthorizationRequest>> {
  if (resource === undefined) return {}
  return findResources(context, resource).then((resources) => ({ resources }))
}

/** The client may obtain the scope (RFC 6749 §3.3), and the resources have it (RFC 8707 §2.2). */
export function checkScope(
  parameters: Parameters,
  { client }: Target,
  _context: CheckContext,
  { resources = [] }: CheckedPart<AuthorizationRequest>,
): CheckedPart<AuthorizationRequest> {
  return { scope: scopeAt(resources, client, parameters) }
}

/** The details are of types that the client may use, and as their schemas say (RFC 9396 §5). @throws StorageUnavailable */
export function checkAuthorizationDetails(
  { authorization_details }: Parameters,
  { client }: Target,
  context: CheckContext,
): CheckedPart<AuthorizationRequest> | Promise<CheckedPart<AuthorizationRequest>> {
  if (authorization_details === undefined) return {}
  return checkDetails(context, client, authorization_details).then((details) => ({ details }))
}

/** The request was pushed if a type of its details demands that. */
export function checkDetailsPushed(
  _parameters: Parameters,
  _target: Target,
  { settings }: CheckContext,
  { details = [] }: CheckedPart<AuthorizationRequest>,
): CheckedPart<AuthorizationRequest> {
  demandPushed(details, settings.issuer + PATHS.par)
  return {}
}

/** The request can wait for the user in the browser, whether it has to or not. */
export function checkLength(
  parameters: Parameters,
  { client }: Target,
  { settings }: CheckContext,
): CheckedPart<AuthorizationRequest> {
  if (!isTooLong(waitingRequest(parameters, client))) return {}
  const has_details = parameters.authorization_details !== undefined
  const endpoint = settings.issuer + PATHS.par
  throw tooLong(has_details ? `, or push it to ${endpoint} (RFC 9126), where its details do not count` : '', {
    ...(has_details && { endpoint }),
  })
}

/** The same for a request that was pushed, whose details need not be carried; `subject` is stored with it. */
export function checkPushedLength(
  parameters: Parameters,
  { client }: Target,
): CheckedPart<AuthorizationRequest> {
  // It has no id yet.
  const waiting = waitingRequest(parameters, client, { pushed: '' })
  const stored = parametersFrom(waiting.parameters, pickParameters(parameters, ['subject']))
  if (isTooLong({ ...waiting, parameters: stored })) throw tooLong(', without authorization_details')
  return {}
}

const tooLong = (what: string, expected: { readonly endpoint?: string } = {}) =>
  invalidRequest(
    'request_too_long',
    `The request is too long: shorten its parameters to ${MAX_REQUEST_BYTES} bytes in all${what}.`,
    { expected: { bytes_at_most: MAX_REQUEST_BYTES, ...expected } },
  )

/** Every client that is not exempted uses PKCE, with S256 only (RFC 7636 §4.4.1, RFC 9700 §2.1.1). */
export function checkPkce(parameters: Parameters, { client }: Target): CheckedPart<AuthorizationRequest> {
  const { code_challenge: given, code_challenge_method: method } = parameters
  if (!client.require_pkce && given === undefined && method === undefined) return {}
  if (given === undefined && client.require_pkce) throw challengeMissing(client)
  const code_challenge = required(parameters, 'code_challenge')
  // RFC 7636 §4.3: an absent method would mean "plain".
  if (method !== 'S256') {
    throw invalidRequest(
      'pkce_method',
      'code_challenge_method must be S256; if it is missing, it means plain, which is refused.',
      { received: { code_challenge_method: method ?? 'none' }, expected: { code_challenge_method: 'S256' } },
    )
  }
  if (!isS256Challenge(code_challenge)) {
    throw invalidRequest(
      'pkce_challenge_malformed',
      'code_challenge must be a SHA-256 digest in base64url, 43 characters.',
      { received: { characters: code_challenge.length }, expected: { characters: 43 } },
    )
  }
  return { code_challenge }
}

/** dpop_jkt is a SHA-256 thumbprint (RFC 9449 §10). */
export function checkDpopKey({ dpop_jkt }: Parameters): CheckedPart<AuthorizationRequest> {
  if (dpop_jkt === undefined) return {}
  if (!isJwkThumbprint(dpop_jkt)) {
    throw invalidRequest(
      'dpop_jkt_malformed',
      'dpop_jkt must be the SHA-256 thumbprint of a key in base64url, 43 characters.',
      { received: { characters: dpop_jkt.length }, expected: { characters: 43 } },
    )
  }
  return { dpop_jkt }
}

// RFC 7636 §4.4.1.
const challengeMissing = ({ is_public }: Client) =>
  invalidRequest(
    'pkce_challenge_missing',
    `The parameter code_challenge is missing: use PKCE with code_challenge_method S256 (RFC 7636). ${
      is_public
        ? 'A public client cannot be exempted.'
        : 'An operator can exempt this client by its field require_pkce.'
    }`,
    {
      expected: {
        parameters: ['code_challenge', 'code_challenge_method'],
        code_challenge_method: 'S256',
      },
    },
  )

const MAKE_PREVIEW = 'redmint client for-preview'

const unknownClient = ({ client_registration }: Draft['settings'], client_id = '') => {
  if (isPreviewId(client_id)) {
    const description = `The preview has lapsed, was ended, or may not be any more: make it again by ${MAKE_PREVIEW}.`
    return invalidRequest('client_unknown', description, { page: 'unknown_client' })
  }
  return client_registration === 'off'
    ? invalidRequest(
        'client_unknown',
        'The client_id is not that of a registered client: correct it, or register the client.',
        {
          page: 'unknown_client',
        },
      )
    : invalidRequest(
        'client_unknown',
        'The client_id is not that of a registered client. A client that registered itself lapses by disuse: register again.',
        { page: 'lapsed_client' },
      )
}
